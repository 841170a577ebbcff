import type { AssumptionId } from "../../contracts/spec/assumptions.ts";

/** Everything that a user can set, resolved: defaults, configuration file, environment, flags. */
export interface Settings {
  readonly profile: "spec" | "observed";
  readonly deployment: "hosted" | "self-hosted";
  /** What is tolerated becomes an error. */
  readonly strict: boolean;
  readonly versions: Versions;
  readonly auth: AuthSettings;
  /** §8.2, §8.3 and the bounds of files. */
  readonly limits: LimitSettings;
  /** How long in virtual time the things take that the specification gives no duration for. */
  readonly timings: TimingSettings;
  /** The effective value of every assumption. */
  readonly assumptions: Readonly<Record<AssumptionId, unknown>>;
}

export interface Versions {
  readonly service: string;
  readonly application: string;
  readonly agent_server: string;
}

export interface AuthSettings {
  /** `any`: every non-empty key is accepted; `keys`: only those listed. */
  readonly mode: "any" | "keys";
  readonly keys: readonly { readonly key: string; readonly tenants: readonly string[] }[];
}

export interface LimitSettings {
  readonly max_concurrent_runs_per_export: number;
  readonly max_concurrent_exports_per_workspace: number;
  readonly run_timeout_ms: number;
  readonly workflow_timeout_ms: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  readonly rows_per_file: number;
  readonly bytes_per_file: number;
  /** Bytes of a request body, after decompression. */
  readonly body_bytes: number;
  /** Events that one `advance` may fire. */
  readonly events_per_advance: number;
}

export interface TimingSettings {
  readonly one_off_start_delay_ms: number;
  readonly file_duration_ms: number;
  /** §3.3-3: a spawned export runs this long after its window ends. */
  readonly spawn_grace_ms: number;
  /** Wall-clock time after which `advance` stops waiting for an effect and names it. */
  readonly effect_patience_ms: number;
  /** Wall-clock time that an object store may take to answer. */
  readonly object_store_timeout_ms: number;
}
