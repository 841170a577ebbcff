import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import { closed, oneOf, optional, type TypeOf, text } from "../../contracts/spec/fields.ts";
import type { LimitValues } from "../../contracts/spec/limit.ts";
import type { LIMITS, TIMINGS } from "../../contracts/spec/limits.ts";
import { NEWER_FEATURES } from "../../contracts/spec/operation.ts";
import type {
  RateLimitHeaders,
  RateLimitId,
  RateRegion,
  TriggerMethods,
} from "../../contracts/spec/rate-limits/rows.ts";
import type { Instant } from "../kernel/instant.ts";
import type { AgentScript } from "./agent/script.ts";

/** The effective settings, resolved from defaults, configuration file, environment and flags. */
export interface Settings {
  readonly profile: "spec" | "observed";
  readonly deployment: "hosted" | "self-hosted";
  /** Strict mode: tolerated deviations become errors. */
  readonly strict: boolean;
  /** Whether webhooks and exports reach only this machine, and no environment variables are used. */
  readonly isolated: boolean;
  /** From this instant operations that the service removes are refused; null: never. */
  readonly legacyEnd: Instant | null;
  /** How far from the time of the world a trace row may start; null: any distance. */
  readonly ingestWindowMs: number | null;
  readonly versions: Versions;
  readonly auth: AuthSettings;
  /** §8.2, §8.3 and the limits of files. */
  readonly limits: LimitSettings;
  /** Durations that the specification leaves open, in virtual time. */
  readonly timings: TimingSettings;
  readonly rateLimits: RateLimitSettings;
  readonly webhooks: WebhookSettings;
  readonly agent: AgentSettings;
  /** The effective value of every assumption. */
  readonly assumptions: Readonly<Record<AssumptionId, unknown>>;
}

/** Whether the emulator has what the public service documents since 2026. */
export function hasNewerFeatures({ assumptions }: Pick<Settings, "assumptions">): boolean {
  return assumptions[NEWER_FEATURES.assumption] === NEWER_FEATURES.is;
}

/** §9: the versions that the platform reports. */
export interface Versions {
  readonly service: string;
  readonly application: string;
  readonly agent_server: string;
}

/** §5: the accepted API keys and their workspaces. */
export interface AuthSettings {
  /** `any`: every non-empty key is accepted; `keys`: only those listed. */
  readonly mode: "any" | "keys";
  readonly keys: readonly ConfiguredKey[];
}

/** A key of the configuration; without a region it is good in both (1-5). */
export interface ConfiguredKey {
  readonly key: string;
  readonly tenants: readonly string[];
  readonly region?: RateRegion | undefined;
}

/** How the limits of §8.5 are counted and reported. */
export interface RateLimitSettings {
  readonly enabled: boolean;
  readonly window: "fixed" | "sliding";
  readonly headers: RateLimitHeaders;
  /** Methods that the row of deletions counts on trigger paths. */
  readonly trigger_methods: TriggerMethods;
  /** Whether rows that are newer than §8.5 are in force. */
  readonly has_newer_rows: boolean;
  readonly scale: number;
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trusted_proxies: readonly string[];
  /** Maximum of stored marks over all rows and both regions. */
  readonly held_at_most: number;
  readonly rows: Readonly<Record<RateLimitId, Readonly<Record<RateRegion, RateSetting>>>>;
}

/** `count` requests per identity in `seconds`. */
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
    /** Our addition (6.1-11). */
    readonly test_receivers: boolean;
  };
}

/** Configured assistants and scripts of the agent server. */
export interface AgentSettings {
  readonly assistants: readonly AgentGraph[];
  readonly scripts: readonly AgentScript[];
  /** Project of the runs' traces; null names it after the assistant. */
  readonly project: string | null;
  readonly traces: boolean;
}

export type GraphBehaviour = (typeof GRAPH_BEHAVIOURS)[number];

/** Behaviours of the built-in graphs, the first one found last; every graph has one of them. */
export const GRAPH_BEHAVIOURS = ["failing", "interrupting", "slow", "echo", "agent"] as const;

const name = text({ minLength: 1, maxLength: 4096 });

/** A configured graph, with an assistant of the same name. */
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
