import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import { closed, oneOf, optional, type TypeOf, text } from "../../contracts/spec/fields.ts";
import type { LimitValues } from "../../contracts/spec/limit.ts";
import type { LIMITS, TIMINGS } from "../../contracts/spec/limits.ts";
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

export type GraphBehaviour = (typeof GRAPH_BEHAVIOURS)[number];

/** How the built-in assistants behave; every graph is like one of them. */
export const GRAPH_BEHAVIOURS = ["echo", "agent", "slow", "failing", "interrupting"] as const;

const name = text({ minLength: 1, maxLength: 4096 });

/** A graph of the user's own, with an assistant of its name. */
export const AGENT_GRAPH = closed({
  graph_id: name,
  name: optional(name),
  description: optional(name),
  like: optional(
    oneOf(GRAPH_BEHAVIOURS, {
      description: "Which of the built-in assistants it behaves like; echo unless given.",
    }),
  ),
});

export type AgentGraph = TypeOf<typeof AGENT_GRAPH>;

/** Counts, bytes and milliseconds of virtual time (§8.2, §8.3), each with a default. */
export type LimitSettings = LimitValues<typeof LIMITS>;

/** Milliseconds, of virtual time unless the row of the table says wall clock. */
export type TimingSettings = LimitValues<typeof TIMINGS>;
