import {
  REQUIREMENT_IDS,
  REQUIREMENTS,
  type Requirement,
  type RequirementId,
  sectionOf,
} from "../spec/requirements.ts";
import type { Case } from "./case.ts";

/** A row of the ledger with the cases that ask about it. */
export interface Covered extends Requirement {
  readonly id: RequirementId;
  readonly section: string;
  readonly cases: readonly string[];
}

/** The ledger, row by row. */
export function coverage(cases: readonly Case[]): readonly Covered[] {
  return REQUIREMENT_IDS.map((id) => ({
    id,
    section: sectionOf(id),
    ...REQUIREMENTS[id],
    cases: cases.filter(({ requirements }) => requirements.includes(id)).map((found) => found.id),
  }));
}

/** Rows that have no case: of every kind, what is beyond the specification included. */
export function uncovered(rows: readonly Covered[]): readonly Covered[] {
  return rows.filter(({ cases }) => cases.length === 0);
}
