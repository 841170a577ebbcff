import type { Verification } from "../emulator/subjects/control-operation.ts";
import { aligned } from "./terminal.ts";

const MAX_ROWS = 50;

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A verdict as text: one line on success, else a table of problems. */
export function verdictLines(id: string, { ok, rows, files, problems }: Verification): string[] {
  const counts = `${counted(rows, "row")} in ${counted(files, "file")}`;
  if (ok) return [`export ${id}: verified, ${counts}`];
  const shown = problems.slice(0, MAX_ROWS).map(({ kind, key, detail }) => [kind, key, detail]);
  const lines = aligned([["PROBLEM", "KEY", "DETAIL"], ...shown]);
  const rest = problems.length - shown.length;
  return [
    `export ${id}: NOT verified, ${counts}, ${problems.length} problems`,
    ...lines,
    ...(rest > 0 ? [`and ${rest} more; see them all with --json`] : []),
  ];
}
