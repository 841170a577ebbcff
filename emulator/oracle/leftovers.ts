import { createHash } from "node:crypto";
import type { ExportRun } from "../subjects/bulk-exports/records.ts";
import { type ComparableRow, nameOf, type RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";
import type { FoundRow } from "./matching.ts";

/** A row that found no like within its run. */
export interface Leftover {
  readonly identity: string;
  readonly start: string | null;
  readonly name: string;
  readonly digest: string;
  /** The row itself, as long as there is room for it. */
  readonly row: ComparableRow | undefined;
}

/** What is left of a run when all its files were compared; other runs may explain it. */
export interface RunLeftovers {
  readonly run: ExportRun;
  /** The folder of the run's files. */
  readonly folder: string;
  readonly missing: Leftover[];
  readonly surplus: (Leftover & { readonly key: string })[];
  /** Identities among the surplus that the store selects for this run. */
  expected: ReadonlySet<string>;
}

/** Room for the leftovers of all runs of an export; what does not fit in is only counted. */
export interface LeftoverRoom {
  rows: number;
  bytes: number;
}

/** Room for one check: so many rows, and so many characters of their values. */
export function leftoverRoom(): LeftoverRoom {
  return { rows: 100_000, bytes: 32 * 1024 * 1024 };
}

/** Undefined when there is no room for one more. */
function leftoverOf(form: RowForm, row: ComparableRow, room: LeftoverRoom): Leftover | undefined {
  if (room.rows === 0) return undefined;
  room.rows -= 1;
  const size = row.values.reduce((sum, value) => sum + value.length, 0);
  const fits = size <= room.bytes;
  if (fits) room.bytes -= size;
  return {
    identity: row.identity,
    start: row.start,
    name: nameOf(form, row),
    digest: createHash("sha256").update(row.values.join("\n")).digest("base64"),
    row: fits ? row : undefined,
  };
}

/** Keeps a row of the store that is in no file of its run, as far as there is room. */
export function keepMissing(
  left: RunLeftovers,
  form: RowForm,
  room: LeftoverRoom,
  findings: Findings,
  row: ComparableRow,
): void {
  const leftover = leftoverOf(form, row, room);
  if (leftover) left.missing.push(leftover);
  else findings.addUnseen("missing_row", 1);
}

/** Keeps a row of a file that the run should not have, as far as there is room. */
export function keepSurplus(
  left: RunLeftovers,
  form: RowForm,
  room: LeftoverRoom,
  findings: Findings,
  { key, row }: FoundRow,
): void {
  const leftover = leftoverOf(form, row, room);
  if (leftover) left.surplus.push({ ...leftover, key });
  else findings.addUnseen(isOutside(left.run, row.start) ? "wrong_partition" : "extra_row", 1);
}

/** Whether a row begins outside of a run's window; one whose file does not say when does not. */
export function isOutside(run: ExportRun, start: string | null): boolean {
  return start !== null && (start < run.start_time || start >= run.end_time);
}
