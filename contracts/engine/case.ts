import type { RequirementId } from "../spec/requirements.ts";
import type { Contract } from "./contract.ts";
import type { CaseSettings, Need } from "./needs.ts";
import type { Finding, MetExpectation, Verdict } from "./verdict.ts";

/** One test of a server, and the requirements that it checks. */
export interface Case {
  /** `<section>/<slug>`, as users select it. */
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly needs: readonly Need[];
  /** Settings to start the target with; implies the need `settings`. */
  readonly settings?: CaseSettings;
  /** Settings to start the target with where that is possible; elsewhere the case runs with those that it has. */
  readonly prefers?: CaseSettings;
  run(t: Contract): Promise<void>;
}

/** A case as suites write it: needs may be left out. */
export interface CaseRow extends Omit<Case, "id" | "needs"> {
  readonly needs?: readonly Need[];
}

/** The result of one case; `wallMs` is wall-clock time. */
export interface CaseResult extends Pick<Case, "id" | "title" | "requirements"> {
  readonly section: string;
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** What the target lacks, where the case did not run because of it. */
  readonly lacking?: readonly Need[];
  /** Requirements that the case actually checked. */
  readonly checkedRequirements: readonly RequirementId[];
  /** The case ended early because of a finding, so that there may be more. */
  readonly stopped?: true;
  /** Expectations that were met; only recorded when two targets are compared. */
  readonly metExpectations?: readonly MetExpectation[];
  /** Where a recorded exchange is. */
  readonly file?: { readonly path: string; readonly line?: number };
  readonly requests: number;
  readonly wallMs: number;
}

/** The section in a case's id: the part before the slash. */
export function sectionOfCase(id: string): string {
  return id.slice(0, id.indexOf("/"));
}

/** Sorts sections and ids in the order of the specification, extensions (X) after it. */
export function bySection(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** The cases of a suite: `{ "4.1/limit": { title, … } }`. */
export function suite(rows: Readonly<Record<string, CaseRow>>): readonly Case[] {
  return Object.entries(rows).map(([id, row]) => ({
    id,
    ...row,
    needs: [...new Set([...(row.needs ?? []), ...(row.settings ? (["settings"] as const) : [])])],
  }));
}
