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
  bursts: "is on this machine, so that the harness may send many requests at once",
  clock: "lets the harness advance its clock (--adapter with /clock)",
  settings: "can be started with other settings (--adapter with /restart)",
  receiver: "can reach a receiver on this machine",
  control: "has the control API of the emulator",
  scripts: "lets the harness decide how agent runs end (an emulator)",
  store_keys: "lets the harness create keys of its object store (an emulator)",
  rate_counters: "lets the harness set rate-limit counters (an emulator)",
  faults: "lets the harness inject faults (an emulator)",
  at_rest: "lets the harness read its files (an emulator)",
} as const satisfies Record<string, string>;

export type Need = keyof typeof NEEDS;

/** What only an emulator offers: nothing adds it to another server. */
export const EMULATOR_NEEDS: ReadonlySet<Need> = new Set([
  "control",
  "scripts",
  "store_keys",
  "rate_counters",
  "faults",
  "at_rest",
]);

/** Settings of the target for a case, as in the configuration file; `environment` holds environment variables. */
export type CaseSettings = Readonly<Record<string, unknown>>;
