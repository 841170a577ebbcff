import type { AssumptionValue } from "../spec/assumption.ts";
import { ASSUMPTIONS, type AssumptionId } from "../spec/assumptions.ts";

/** The basis of the checks: the specification, or the observed behaviour of the public service. */
export const PROFILES = ["spec", "observed"] as const;

export type Profile = (typeof PROFILES)[number];

/** What is expected where an assumption, or an observation against a shown statement, decides. */
export function chosenBy(profile: Profile, id: AssumptionId): AssumptionValue {
  const { choice, observed } = ASSUMPTIONS[id];
  return profile === "observed" ? (observed ?? choice) : choice;
}
