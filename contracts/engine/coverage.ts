import {
  REQUIREMENT_IDS,
  REQUIREMENTS,
  type Requirement,
  type RequirementId,
  sectionOf,
} from "../spec/requirements.ts";
import type { Case } from "./case.ts";

/** A requirement with the cases that check it. */
export interface Covered extends Requirement {
  readonly id: RequirementId;
  readonly section: string;
  readonly cases: readonly string[];
}

/** Every requirement with its cases. */
export function coverage(cases: readonly Case[]): readonly Covered[] {
  return REQUIREMENT_IDS.map((id) => ({
    id,
    section: sectionOf(id),
    ...REQUIREMENTS[id],
    cases: cases.filter(({ requirements }) => requirements.includes(id)).map((testCase) => testCase.id),
  }));
}

/** Requirements that neither a case nor another test covers, extensions (X) included. */
export function uncovered(rows: readonly Covered[]): readonly Covered[] {
  return rows.filter(({ cases, coveredBy }) => cases.length === 0 && !coveredBy);
}
