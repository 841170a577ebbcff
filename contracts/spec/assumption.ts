import { type RequirementId, sectionOf } from "./requirements.ts";

export type AssumptionValue = string | number | boolean;

/** A choice of the emulator where the specification is silent or contradicts itself, as the tables have it. */
export interface AssumptionRow {
  /** Absent: the section of the requirement. */
  readonly section?: string;
  readonly requirement: RequirementId;
  readonly choice: AssumptionValue;
  /** The other values that it supports, if any. */
  readonly alternatives?: readonly AssumptionValue[];
  /** Alternatives that a statement of the specification excludes. A server with one does not conform. */
  readonly ruledOut?: readonly AssumptionValue[];
  readonly reason: string;
  /** Its value in the profile `observed`. */
  readonly observed?: AssumptionValue;
  /** The setting that changes it. */
  readonly setting?: string;
}

/** A row with what follows from it. */
export interface Assumption extends AssumptionRow {
  readonly section: string;
  /** It changes under `assumptions.<id>` of the configuration. */
  readonly switchable?: true;
}

type Place = "section" | "requirement";

/** The rows about one section and requirement; a row may name others. */
export function assumptionsAbout<Id extends string>(
  section: string,
  requirement: RequirementId,
  rows: Readonly<Record<Id, Omit<AssumptionRow, Place> & Partial<Pick<AssumptionRow, Place>>>>,
): Readonly<Record<Id, AssumptionRow>> {
  const entries = Object.entries<Partial<AssumptionRow>>(rows);
  return Object.fromEntries(
    entries.map(([id, row]) => [id, { section, requirement, ...row }]),
  ) as unknown as Record<Id, AssumptionRow>;
}

/** With alternatives and without a setting of its own, it has one under its id. */
export function assumptionOf(row: AssumptionRow): Assumption {
  const isSwitchable = row.alternatives !== undefined && row.setting === undefined;
  return { section: sectionOf(row.requirement), ...row, ...(isSwitchable && { switchable: true }) };
}
