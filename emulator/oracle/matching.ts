import { bytesOf, type ComparableRow, differences, nameOf, type RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";

/** A row of a file with the file's key. */
export interface FileRow {
  readonly key: string;
  readonly row: ComparableRow;
}

/**
 * Pairs the rows of the store with the rows of the files, in any order. It holds unpaired rows only;
 * beyond a limit the oldest are reported as unmatched.
 */
export interface Matching {
  expect(row: ComparableRow): void;
  /** Accepts a row whose file could not be read. */
  tolerate(row: ComparableRow): void;
  addFileRow(row: FileRow): void;
  /** The same as `expect` and `addFileRow`: cheaper for rows that are at the same place in the store and the file. */
  pair(storedRow: ComparableRow, fileRow: FileRow): void;
  /** Reports all unpaired rows. */
  end(): void;
}

/** Options of a matching: how rows are compared, and callbacks for unmatched rows. */
export interface MatchingOptions {
  readonly form: RowForm;
  readonly findings: Findings;
  /** Maximum bytes of unpaired rows on either side. */
  readonly maxUnpairedBytes: number;
  readonly onMissing: (row: ComparableRow) => void;
  readonly onSurplus: (row: FileRow) => void;
}

/** The problem of a row that does not belong to the project of the export. */
export function foreignRow(name: string, foreign: string): string {
  return `${name} belongs to ${foreign}, not to the project of the export`;
}

/** Creates a matching without rows. */
export function createMatching(options: MatchingOptions): Matching {
  const { form, findings, maxUnpairedBytes } = options;
  const missingRows = createUnpaired<ComparableRow>(maxUnpairedBytes, (row) => row, options.onMissing);
  const surplus = createUnpaired<FileRow>(maxUnpairedBytes, ({ row }) => row, options.onSurplus);

  function compare(storedRow: ComparableRow, { key, row }: FileRow): void {
    const foreign = storedRow.foreign ?? row.foreign;
    const differing = foreign ? undefined : differences(form, storedRow, row);
    if (foreign) findings.add("wrong_project", key, foreignRow(nameOf(form, storedRow), foreign));
    if (differing) findings.add("changed_value", key, `${nameOf(form, storedRow)}: ${differing}`);
  }

  function tolerate(row: ComparableRow): boolean {
    const fileRow = surplus.take(row.identity);
    if (fileRow) compare(row, fileRow);
    return fileRow !== undefined;
  }

  function expect(row: ComparableRow): void {
    if (!tolerate(row)) missingRows.add(row);
  }

  function addFileRow(fileRow: FileRow): void {
    const storedRow = missingRows.take(fileRow.row.identity);
    if (storedRow) compare(storedRow, fileRow);
    else surplus.add(fileRow);
  }

  return {
    tolerate,
    expect,
    addFileRow,
    pair(storedRow, fileRow) {
      const { identity } = storedRow;
      const isPair =
        identity === fileRow.row.identity && !missingRows.has(identity) && !surplus.has(identity);
      if (isPair) return compare(storedRow, fileRow);
      expect(storedRow);
      addFileRow(fileRow);
    },
    end() {
      missingRows.reportOldest(0);
      surplus.reportOldest(0);
    },
  };
}

interface UnpairedRows<T> {
  add(item: T): void;
  has(identity: string): boolean;
  take(identity: string): T | undefined;
  /** Reports the oldest unpaired rows until the limit of bytes is met. */
  reportOldest(maxBytes: number): void;
}

function createUnpaired<T>(
  maxBytes: number,
  rowOf: (item: T) => ComparableRow,
  onUnmatched: (item: T) => void,
): UnpairedRows<T> {
  // In the order of arrival; rows of one identity are together.
  const items = new Map<string, T[]>();
  let bytes = 0;

  function reportOldest(max: number): void {
    for (const [identity, rows] of items) {
      if (bytes <= max) return;
      items.delete(identity);
      for (const item of rows) {
        bytes -= bytesOf(rowOf(item));
        onUnmatched(item);
      }
    }
  }

  return {
    reportOldest,
    has: (identity) => items.has(identity),
    add(item) {
      const row = rowOf(item);
      const rows = items.get(row.identity);
      if (rows) rows.push(item);
      else items.set(row.identity, [item]);
      bytes += bytesOf(row);
      if (bytes > maxBytes) reportOldest(maxBytes);
    },
    take(identity) {
      const rows = items.get(identity);
      const item = rows?.shift();
      if (item === undefined) return undefined;
      if (rows?.length === 0) items.delete(identity);
      bytes -= bytesOf(rowOf(item));
      return item;
    },
  };
}
