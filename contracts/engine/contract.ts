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

/** What a request has beside its method and path. */
export interface CallOptions {
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  /** Null leaves out a header that is sent otherwise. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly region?: Region;
  /** The request breaks the specification on purpose, or the reply is none of this API's. */
  readonly unjudged?: boolean;
}

/** How far a difference is shown. */
export interface Difference {
  readonly expected?: unknown;
  readonly actual?: unknown;
  readonly exchange?: Exchange;
}

/** Records whether something holds, and returns it, so that a case can go on or stop. */
type Expect<Id> = (id: Id, holds: boolean | Check, text: string, difference?: Difference) => boolean;

/** What a case works with. */
export interface Contract {
  readonly draw: RandomSource;
  readonly identity: Identity;
  readonly objects: ObjectStore;
  readonly reach: Reach;
  /** Whether the target has what a case can go without. */
  has(need: Need): boolean;
  call<T = Members>(method: string, path: string, options?: CallOptions): Promise<Reply<T>>;
  /** A row that is shown: FAIL when it does not hold. */
  readonly fact: Expect<RequirementId>;
  /** A choice of ours: UNSPECIFIED when the target made another one. */
  readonly choice: Expect<RequirementId | AssumptionId>;
  /** Allowed, but not as the specification words it: NON-STRICT. */
  readonly strictly: Expect<RequirementId>;
  /** Like `fact`, and the case ends here when it does not hold. */
  must(id: RequirementId, holds: boolean | Check, text: string, difference?: Difference): void;
  /** Calls a test-only operation; the case cannot go on when it is refused. */
  control<T = Members>(method: string, path: string, body?: unknown): Promise<T>;
  /** Moves the clock: by a duration, or as the test-only operation takes it. */
  advance(target: string | Members): Promise<Members>;
  /** The target's time. */
  now(): Promise<number>;
  receiver(): Promise<Receiver>;
  /** Starts another one with these settings and ends it; answers with why it would not start, or null. */
  refusesToStart(settings: CaseSettings): Promise<string | null>;
  /** Nothing of this may be seen in a reply or a report. */
  secret(text: string): string;
}

/** Ends a case early; what led to it is among the findings, or is the harness's own trouble. */
export class CaseEnded extends Error {
  override readonly name = "CaseEnded";
}

/** Nothing more may be asked. */
export class BudgetSpent extends CaseEnded {}
