import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";
import type { Exchange } from "./exchange.ts";

export const VERDICTS = ["PASS", "UNSUPPORTED", "NON-STRICT", "UNSPECIFIED", "FAIL"] as const;

/** From the mildest to the gravest. */
export type Verdict = (typeof VERDICTS)[number];

/** What each verdict means. */
export const VERDICT_MEANINGS: Readonly<Record<Verdict, string>> = {
  PASS: "the server conforms to the specification",
  UNSUPPORTED: "not checked: the server lacks something that the case needs",
  "NON-STRICT":
    "the reply has members that the specification does not define, or a request, such as a recorded one, does not conform to the OpenAPI document of the emulator; fails only with `--strict`",
  UNSPECIFIED:
    "the specification is silent, and the server differs from the emulator's choice; fails only with `--strict`",
  FAIL: "a statement of the specification is violated",
};

/** An expectation that the target has met, and what it did. */
export interface MetExpectation {
  readonly requirement: RequirementId;
  readonly text: string;
  readonly did: string;
}

/** Who has to change something: the server, the request, the reader of a silent specification, or this harness. */
export type Blame = "target" | "caller" | "specification" | "harness";

/** What has to change, by who is to blame. */
export const BLAME_MEANINGS: Readonly<Record<Blame, string>> = {
  target: "the server",
  caller: "the request, or an option of the run",
  specification: "nobody: the specification does not define this, and both behaviours conform",
  harness: "the contract suites",
};

/** Something that is not as it should be. */
export interface Finding {
  readonly verdict: Exclude<Verdict, "PASS">;
  readonly blame: Blame;
  readonly requirement: RequirementId | null;
  readonly assumption?: AssumptionId;
  readonly section: string;
  /** What should have been. */
  readonly text: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** Request and reply, secrets removed. */
  readonly exchange?: Exchange;
  /** The baseline of the run has it too, so that it does not make the run fail. */
  readonly isKnown?: true;
}

/** The gravest verdict of some findings. */
export function worst(findings: readonly { readonly verdict: Verdict }[]): Verdict {
  return findings.reduce<Verdict>(
    (gravest, { verdict }) => (VERDICTS.indexOf(verdict) > VERDICTS.indexOf(gravest) ? verdict : gravest),
    "PASS",
  );
}
