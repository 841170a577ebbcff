/** §9.4: which version brought a feature, written down from the specification a second time. */
export const GATES = {
  session_token: { service: "0.10.34", application: "0.10.91" },
  scheduled_exports: { service: "0.10.42", application: "0.10.109" },
  export_fields: { service: "0.12.11", application: "0.12.42" },
  webhook_settings: { agent_server: "0.5.36" },
  disable_webhooks: { agent_server: "0.2.78" },
} as const;

/**
 * Versions on both sides of a gate: its neighbour, and those that a comparison of texts sorts to the other side
 * (0.10.9 is older than 0.10.34, 0.10.100 is newer).
 */
export function versionsAround(gate: string): Readonly<Record<"older" | "newer", readonly string[]>> {
  const [minor = 0, patch = 0] = gate.split(".").slice(1).map(Number);
  const shorter = (part: number) => 10 ** (String(part).length - 1) - 1;
  const longer = (part: number) => 10 ** String(part).length;
  const olderMinor = shorter(minor) || minor - 1;
  return {
    older: [`0.${minor}.${patch - 1}`, `0.${minor}.${shorter(patch)}`, `0.${olderMinor}.${patch}`],
    newer: [gate, `0.${minor}.${longer(patch)}`, `0.${longer(minor)}.0`],
  };
}
