import type { Instant } from "../../kernel/instant.ts";

/** Reads cron schedules; time zones make that a matter of the machine's tables, so it is a port. */
export interface Schedules {
  /** What is wrong with a schedule or its time zone. */
  problem(schedule: string, timezone: string | null): ScheduleProblem | undefined;
  /** The first instant after this one at which it fires; null when there is none. */
  next(schedule: string, timezone: string | null, after: Instant): Instant | null;
}

export interface ScheduleProblem {
  readonly field: "schedule" | "timezone";
  readonly message: string;
  readonly hint: string;
}
