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
  | "schedule_gap"
  | "timing";

/** The rows and files that were read, and the problems. Beyond a limit, problems are only counted. */
export interface Findings {
  rows: number;
  files: number;
  add(kind: ProblemKind, key: string, detail: string): void;
  /** Counts problems without details. */
  addCount(kind: ProblemKind, count: number): void;
  problems(): readonly Problem[];
}

const MAX_PROBLEMS = 100;
const MAX_SHOWN_CHARACTERS = 200;

/** Shortens a value for a report. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** Keeps the first `MAX_PROBLEMS` problems, and counts the others by kind. */
export function createFindings(): Findings {
  const problems: Problem[] = [];
  const counts = new Map<ProblemKind, number>();

  function addCount(kind: ProblemKind, count: number): void {
    if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }

  return {
    rows: 0,
    files: 0,
    add(kind, key, detail) {
      if (problems.length < MAX_PROBLEMS) problems.push({ kind, key, detail });
      else addCount(kind, 1);
    },
    addCount,
    problems() {
      if (counts.size === 0) return problems;
      const count = [...counts.values()].reduce((sum, each) => sum + each, 0);
      const kinds = [...counts].map(([kind, each]) => `${kind} ${each}`).join(", ");
      return [...problems, { kind: "more", key: "", detail: `${count} more problems: ${kinds}` }];
    },
  };
}
