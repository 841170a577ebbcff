import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { RateLimitId, RateRegion } from "../../contracts/spec/rate-limits/rows.ts";
import type { AgentScript } from "./agent/script.ts";

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
  readonly rateLimits: RateLimitSettings;
  readonly webhooks: WebhookSettings;
  readonly agent: AgentSettings;
  /** The effective value of every assumption. */
  readonly assumptions: Readonly<Record<AssumptionId, unknown>>;
}

/** §9: the versions that the platform says it has. */
export interface Versions {
  readonly service: string;
  readonly application: string;
  readonly agent_server: string;
}

/** §5: which keys are accepted, and for which workspaces. */
export interface AuthSettings {
  /** `any`: every non-empty key is accepted; `keys`: only those listed. */
  readonly mode: "any" | "keys";
  readonly keys: readonly { readonly key: string; readonly tenants: readonly string[] }[];
}

/** §8.5, and how it is told and counted. */
export interface RateLimitSettings {
  readonly enabled: boolean;
  readonly window: "fixed" | "sliding";
  /** What replies say of the limit. */
  readonly headers: "none" | "retry-after" | "x-ratelimit";
  readonly scale: number;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trusted_proxies: readonly string[];
  /** Windows and instants of use, over all rows and both regions. */
  readonly held_at_most: number;
  readonly rows: Readonly<Record<RateLimitId, Readonly<Record<RateRegion, RateSetting>>>>;
}

/** So many requests of one identity pass in so many seconds. */
export interface RateSetting {
  readonly count: number;
  readonly seconds: number;
}

/** §6.1, with the variables in the headers filled in: their values are secrets. */
export interface WebhookSettings {
  readonly disabled: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: {
    readonly allowed_domains: readonly string[] | null;
    readonly require_https: boolean;
    readonly allowed_ports: readonly number[] | null;
    readonly disable_loopback: boolean;
    readonly max_url_length: number;
  };
}

/** What the agent server serves beside its own assistants, and how its runs end. */
export interface AgentSettings {
  readonly assistants: readonly AgentGraph[];
  readonly scripts: readonly AgentScript[];
  /** Project that runs leave their traces in; null names it after the assistant. */
  readonly project: string | null;
  readonly traces: boolean;
}

/** A graph of the user's own, with an assistant of its name. */
export interface AgentGraph {
  readonly graph_id: string;
  readonly name?: string;
  readonly description?: string;
  /** Which of the built-in assistants it behaves like; echo when left out. */
  readonly like?: GraphBehaviour;
}

export type GraphBehaviour = (typeof GRAPH_BEHAVIOURS)[number];

/** How the built-in assistants behave; every graph is like one of them. */
export const GRAPH_BEHAVIOURS = ["echo", "agent", "slow", "failing", "interrupting"] as const;

/** Counts, bytes and milliseconds of virtual time (§8.2, §8.3), each with a default. */
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
  readonly worlds: number;
  readonly snapshots: number;
  /** Bytes that a snapshot may hold as a file. */
  readonly snapshot_bytes: number;
  readonly webhook_attempts: number;
  /** Deliveries that the ledger keeps once they have ended. */
  readonly webhook_ledger: number;
  /** Deliveries that may be under way or wait for a retry. */
  readonly webhook_pending: number;
  /** Bytes kept of what a receiver answers. */
  readonly webhook_reply_bytes: number;
  readonly crons_per_workspace: number;
  readonly agent_run_timeout_ms: number;
  readonly agent_pending_runs: number;
  readonly agent_kwargs_bytes: number;
  /** Bytes of the values that a thread may hold. */
  readonly agent_values_bytes: number;
  /** Bytes of what callers note on a thread, an assistant or a cron. */
  readonly agent_metadata_bytes: number;
  /** Events in a world's queue, of whatever kind, beyond which no more runs and crons are taken. */
  readonly agent_waiting_events: number;
  readonly agent_messages: number;
  readonly agent_checkpoints: number;
  readonly agent_threads: number;
  readonly agent_assistants: number;
  readonly agent_runs: number;
  readonly agent_streams: number;
  readonly agent_kept_streams: number;
  readonly agent_scripts: number;
}

/** Milliseconds, of virtual time where nothing else is said. */
export interface TimingSettings {
  readonly one_off_start_delay_ms: number;
  readonly file_duration_ms: number;
  /** §3.3-3: a spawned export runs this long after its window ends. */
  readonly spawn_grace_ms: number;
  /** Wall-clock time after which `advance` stops waiting for an effect and names it. */
  readonly effect_patience_ms: number;
  /** Wall-clock time that an object store may take to answer. */
  readonly object_store_timeout_ms: number;
  /** Virtual wait before the second attempt; it doubles with each further one. */
  readonly webhook_retry_delay_ms: number;
  /** Wall-clock time for finding and reaching a receiver. */
  readonly webhook_connect_timeout_ms: number;
  /** Wall-clock time for a receiver's whole answer. */
  readonly webhook_read_timeout_ms: number;
  readonly agent_step_ms: number;
  /** Wall-clock time after which a quiet stream sends a sign of life. */
  readonly agent_heartbeat_ms: number;
}
