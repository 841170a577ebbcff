import type { Problem } from "../subjects/control-operation.ts";

/** Kinds of problems of an export. */
export type ProblemKind =
  | "missing_file"
  | "unreadable"
  | "damaged_file"
  | "columns"
  | "type"
  | "compression"
  | "missing_row"
  | "extra_row"
  | "duplicate_row"
  | "changed_value"
  | "wrong_partition"
  | "wrong_project"
  | "outside_prefix"
  | "tiling"
  | "count"
  | "size"
  | "extra_file"
  | "not_completed"
  | "schedule_gap";

/** Counts of what was read, and problems; beyond a limit, problems are only counted. */
export interface Findings {
  rows: number;
  files: number;
  add(kind: ProblemKind, key: string, detail: string): void;
  /** Adds problems that are only counted. */
  addUnseen(kind: ProblemKind, count: number): void;
  problems(): readonly Problem[];
}

const PROBLEMS_MAX = 100;
const SHOWN_MAX = 200;

/** A value shortened for a report. */
export function shown(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/** Keeps the first `PROBLEMS_MAX` problems, and of the others how many there are of each kind. */
export function createFindings(): Findings {
  const problems: Problem[] = [];
  const unseen = new Map<ProblemKind, number>();

  function addUnseen(kind: ProblemKind, count: number): void {
    if (count > 0) unseen.set(kind, (unseen.get(kind) ?? 0) + count);
  }

  return {
    rows: 0,
    files: 0,
    add(kind, key, detail) {
      if (problems.length < PROBLEMS_MAX) problems.push({ kind, key, detail });
      else addUnseen(kind, 1);
    },
    addUnseen,
    problems() {
      if (unseen.size === 0) return problems;
      const count = [...unseen.values()].reduce((sum, each) => sum + each, 0);
      const kinds = [...unseen].map(([kind, each]) => `${kind} ${each}`).join(", ");
      return [...problems, { kind: "more", key: "", detail: `${count} more problems: ${kinds}` }];
    },
  };
}
