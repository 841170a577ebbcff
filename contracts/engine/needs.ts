/** What a case may require of a target; where the target lacks it, the case is UNSUPPORTED. */
export const NEEDS = {
  platform: "has the paths of the platform (under /api/v1)",
  writes: "may be written to (a service that is not local: --allow-writes)",
  tenants: "admits workspaces made up on the spot",
  ingest: "takes in trace rows",
  schedules: "has scheduled exports (service version 0.10.42 or later)",
  columns: "lets the columns of an export be chosen (service version 0.12.11 or later)",
  agent: "has an agent server (--agent-url)",
  eu: "has an address in the EU region (--eu-url)",
  object_store: "has an object store that the harness can look into (--s3 …)",
  control: "has the test-only surface of the emulator",
  clock: "lets the harness move its time",
  faults: "lets the harness arm faults",
  receiver: "can reach a receiver on this machine",
  settings: "can be started with other settings",
  at_rest: "lets the harness read what it keeps on disk",
} as const satisfies Record<string, string>;

export type Need = keyof typeof NEEDS;

/** Settings of the target for a case, as in the configuration file; `environment` holds environment variables. */
export type CaseSettings = Readonly<Record<string, unknown>>;
