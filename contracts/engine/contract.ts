import type { AssumptionValue } from "../spec/assumption.ts";
import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";
import type { Check } from "./check.ts";
import type { Exchange } from "./exchange.ts";
import type { Region } from "./http-message.ts";
import type { Members } from "./json.ts";
import type { CaseSettings, Need } from "./needs.ts";
import type { RandomSource } from "./random.ts";
import type { Identity, ObjectStore, Reach, Receiver } from "./target.ts";

/** A reply as a case sees it; `exchange` is the same with its secrets hidden. */
export interface Reply<T = Members> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value; the text itself when it is none, so never undefined. */
  readonly body: T;
  readonly text: string;
  readonly exchange: Exchange;
}

/** Options of a request in addition to its method and path. */
export interface CallOptions {
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  /** Null removes a header that is sent by default. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly region?: Region;
  /** Skips the oracle: the request breaks the specification on purpose, or the reply is not of this API. */
  readonly unchecked?: boolean;
  /** The case continues when the server does not have this operation; otherwise it ends as UNSUPPORTED. */
  readonly mayLack?: boolean;
}

/** Context that a report shows with a finding. */
export interface Difference {
  readonly expected?: unknown;
  readonly actual?: unknown;
  readonly exchange?: Exchange;
}

/** Records whether something holds, and returns it, so that a case can continue or stop. */
type Expect<Id> = (id: Id, holds: boolean | Check, text: string, difference?: Difference) => boolean;

/** The interface of a case to the target and to its report. */
export interface Contract {
  readonly draw: RandomSource;
  readonly identity: Identity;
  readonly objects: ObjectStore;
  readonly reach: Reach;
  /** Whether the target offers something that the case can use but does not require. */
  has(need: Need): boolean;
  /** The target was started with the settings that the case names or prefers. */
  readonly isPrepared: boolean;
  /** Whether the server is said to implement a section. */
  isClaimed(section: string): boolean;
  /** How much time a case may let pass, in milliseconds: without a bound where the clock can be moved. */
  readonly patienceMs: number;
  /** What the target is expected to have chosen: our choice, in the profile `observed` what was observed. */
  chosen(id: AssumptionId): AssumptionValue;
  call<T = Members>(method: string, path: string, options?: CallOptions): Promise<Reply<T>>;
  /** Expects what the specification shows: FAIL when it does not hold. */
  readonly fact: Expect<RequirementId>;
  /** Expects an assumption of ours: UNSPECIFIED when the target made another choice. */
  readonly choice: Expect<RequirementId | AssumptionId>;
  /** Like `fact`, and ends the case when it does not hold. */
  must(id: RequirementId, holds: boolean | Check, text: string, difference?: Difference): void;
  /** Calls a test-only operation; throws `CaseEnded` when it is refused. */
  control<T = Members>(method: string, path: string, body?: unknown): Promise<T>;
  /** Advances the clock: by a duration, or by the body of the test-only operation. */
  advance(target: string | Members): Promise<Members>;
  /** The target's time in milliseconds. */
  now(): Promise<number>;
  receiver(): Promise<Receiver>;
  /** What the target keeps on disk: every file as text, byte by byte. */
  atRest(): Promise<string>;
  /** Starts another target with these settings and closes it; returns the error message, or null when it started. */
  refusesToStart(settings: CaseSettings): Promise<string | null>;
  /** Ends the case as UNSUPPORTED: the target lacks what follows "needs", and what was found so far stands. */
  lack(what: string): never;
  /**
   * Waits until something holds: no longer than the target is waited for, and after the first such wait in vain
   * not at all. Only for targets without the clock.
   */
  eventually(check: () => Promise<boolean>): Promise<boolean>;
  /** Marks a text as secret: replies and reports must not contain it. Returns it. */
  secret(text: string): string;
}

/** Ends a case early; the cause is among the findings, or is an error of the harness. */
export class CaseEnded extends Error {
  override readonly name = "CaseEnded";
}

/** The request budget is spent. */
export class BudgetSpent extends CaseEnded {}

/** The target lacks what the case needs; the message says what. */
export class Lacking extends CaseEnded {}
