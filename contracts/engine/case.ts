import type { RequirementId } from "../spec/requirements.ts";
import type { Contract } from "./contract.ts";
import type { CaseSettings, Need } from "./needs.ts";
import type { Finding, Held, Verdict } from "./verdict.ts";

/** One question to a server, and which rows of the ledger its answer is about. */
export interface Case {
  /** `<section>/<slug>`, as it is selected. */
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly needs: readonly Need[];
  /** What the target is to be started with; the case needs `settings` then. */
  readonly settings?: CaseSettings;
  run(t: Contract): Promise<void>;
}

/** Shorthand of the suites: what is left out of a case is nothing. */
export interface CaseRow {
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly needs?: readonly Need[];
  readonly settings?: CaseSettings;
  run(t: Contract): Promise<void>;
}

/** What came of one case; `wallMs` is time of the wall clock. */
export interface CaseResult {
  readonly id: string;
  readonly section: string;
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** Rows of the ledger that it came to ask about. */
  readonly asked: readonly RequirementId[];
  /** What was as it should be; only where two targets are compared. */
  readonly held?: readonly Held[];
  readonly requests: number;
  readonly wallMs: number;
}

/** The section that stands before the slash of a case's id. */
export function sectionOfCase(id: string): string {
  return id.slice(0, id.indexOf("/"));
}

/** The cases of a suite: `{ "4.1/limit": { title, … } }`. */
export function suite(rows: Readonly<Record<string, CaseRow>>): readonly Case[] {
  return Object.entries(rows).map(([id, row]) => ({
    id,
    ...row,
    needs: [...new Set([...(row.needs ?? []), ...(row.settings ? (["settings"] as const) : [])])],
  }));
}
