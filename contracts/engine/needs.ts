/** What a case may require of a target; where the target lacks it, the case is UNSUPPORTED. */
export const NEEDS = {
  platform: "has the paths of the platform (under /api/v1)",
  writes: "accepts writes (on a server that is not local: --allow-writes)",
  tenants: "accepts generated workspace ids",
  ingest: "ingests trace rows",
  schedules: "has scheduled exports (service version 0.10.42 or later)",
  columns: "supports export_fields (service version 0.12.11 or later)",
  agent: "has an agent server (--agent-url)",
  eu: "has an address in the EU region (--eu-url)",
  object_store: "has an object store that the harness can read (--s3 …)",
  control: "has the control API of the emulator",
  clock: "lets the harness control its clock",
  faults: "lets the harness inject faults",
  receiver: "can reach a receiver on this machine",
  settings: "can be started with other settings",
  at_rest: "lets the harness read its files",
} as const satisfies Record<string, string>;

export type Need = keyof typeof NEEDS;

/** Settings of the target for a case, as in the configuration file; `environment` holds environment variables. */
export type CaseSettings = Readonly<Record<string, unknown>>;
