import { ASSUMPTIONS, type AssumptionId } from "../spec/assumptions.ts";
import { REQUIREMENTS, type RequirementId } from "../spec/requirements.ts";

/** The text of a requirement, or of the assumption made where the specification is silent. */
export function describeRequirement(
  requirement: RequirementId | null,
  assumption: AssumptionId | undefined,
): string {
  if (assumption !== undefined) return `not shown; chosen: ${ASSUMPTIONS[assumption].choice}`;
  if (requirement === null) return "nothing";
  const { kind, text } = REQUIREMENTS[requirement];
  if (kind === "X") return `beyond the specification: ${text}`;
  return kind === "S" ? text : `not shown; chosen: ${text}`;
}
