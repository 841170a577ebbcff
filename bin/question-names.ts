/** Commands about a running emulator, which load little. */
export const QUESTIONS = [
  "clock",
  "env",
  "export",
  "fault",
  "limits",
  "logs",
  "reset",
  "s3",
  "snapshot",
  "status",
  "stop",
  "traces",
  "verify-export",
  "wait",
  "webhooks",
  "why",
  "world",
] as const;

export type Question = (typeof QUESTIONS)[number];
