import type { FaultTarget, HappeningOf } from "../../../contracts/spec/faults.ts";
import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";

/** What a key of `match` was given: a value, or a list of which any may fit. */
export type MatchValue = string | number | readonly (string | number)[];

/** Members of rules of all targets: what they match and how often they were hit. Counts decide, not probabilities. */
export interface RuleBase {
  readonly id: string;
  /** The preset that it was armed by. */
  readonly preset: string | null;
  readonly match: Readonly<Record<string, MatchValue>>;
  readonly times: number;
  /** As it was written, virtual. */
  readonly ttl: string | null;
  /** True for one that may stay without a hit. */
  readonly optional?: boolean;
  /** Occasions that triggered the rule. */
  readonly hits: number;
  /** Occasions that have matched while it was armed. */
  readonly seen: number;
  readonly armed_at: Instant;
  readonly expires_at: Instant | null;
}

/** What a rule does, as a union over the targets. */
export type TargetThen = {
  readonly [Target in FaultTarget]: { readonly target: Target; readonly then: HappeningOf<Target> };
}[FaultTarget];

/** An armed fault. */
export type FaultRule = RuleBase & TargetThen;

/** A rule of one target. */
export type RuleOf<Target extends FaultTarget> = Extract<FaultRule, { readonly target: Target }>;

/** Rules by target, in the order of arming: of those that are due, the first is triggered. */
export const FAULTS = collection<FaultRule>(
  "faults",
  (rule) => rule.id,
  (rule) => rule.target,
);

/** Whether a rule can still be triggered. */
export function isArmed({ hits, times, expires_at }: RuleBase, now: Instant): boolean {
  return hits < times && !isExpired(expires_at, now);
}

/** Whether the time of a rule is over. */
export function isExpired(expires_at: Instant | null, now: Instant): boolean {
  return expires_at !== null && expires_at <= now;
}
