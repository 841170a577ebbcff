import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import type { Turn } from "../turn.ts";
import type { FaultContext } from "./match.ts";
import type { RuleOf } from "./records.ts";

/** How the rules of one target are matched and applied. */
export interface Target<Name extends FaultTarget, Occasion, Outcome> {
  /** The facts of the occasion by the keys of `match`. */
  facts(occasion: Occasion): FaultContext;
  /** What the journal says of the occasion, where that is not its facts: no secret is in it. */
  readonly shown?: (occasion: Occasion) => FaultContext;
  /** Does what the rule does by itself; what else comes of it is for the caller to do. */
  apply(turn: Turn, rule: RuleOf<Name>, occasion: Occasion): Outcome | undefined;
}
