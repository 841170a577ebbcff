import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import type { Turn } from "../turn.ts";
import type { FaultContext } from "./match.ts";
import type { RuleOf } from "./records.ts";

/** How the rules of one target are matched and applied. */
export interface Target<Name extends FaultTarget, Occasion, Outcome> {
  /** The facts of the occasion by the keys of `match`. */
  facts(occasion: Occasion): FaultContext;
  /** The facts for the journal, without secrets; by default all facts. */
  readonly journalFacts?: (occasion: Occasion) => FaultContext;
  /** Carries out the rule as far as it can by itself; returns what is left for the caller to do. */
  apply(turn: Turn, rule: RuleOf<Name>, occasion: Occasion): Outcome | undefined;
}

/**
 * Ends a chain of branches over the members of `then`. There `then` has the type `never`, so a member of `then` that is not
 * handled does not compile. A rule stored by another version ends the world with this message (law 6).
 */
export function unhandled(target: string, then: never): never {
  throw new Error(
    `This version cannot apply ${JSON.stringify(then)} to the target ${target}. ` +
      "Remove the fault with the version that armed it.",
  );
}
