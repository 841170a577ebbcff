import { type ComparableRow, differences, nameOf, type RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";

/** A row of a file with the file's key. */
export interface FoundRow {
  readonly key: string;
  readonly row: ComparableRow;
}

/**
 * Pairs the rows of the store with the rows of the files, in any order. Only unpaired rows
 * are kept; beyond a limit the oldest are reported as unmatched.
 */
export interface Matching {
  expect(row: ComparableRow): void;
  /** A row that may be there: its file could not be read. */
  tolerate(row: ComparableRow): void;
  find(found: FoundRow): void;
  /** Reports all unpaired rows. */
  end(): void;
}

/** Options of a matching: how rows are compared, and callbacks for unmatched rows. */
export interface MatchingOptions {
  readonly form: RowForm;
  readonly findings: Findings;
  /** Bytes of rows that may wait on either side. */
  readonly waitingBytesMax: number;
  readonly onMissing: (row: ComparableRow) => void;
  readonly onSurplus: (found: FoundRow) => void;
}

/** What is said of a row that does not belong to the project of the export. */
export function foreignRow(name: string, foreign: string): string {
  return `${name} is of ${foreign}, not of the export's project`;
}

/** A matching that holds nothing yet. */
export function createMatching(options: MatchingOptions): Matching {
  const { form, findings, waitingBytesMax } = options;
  const missing = createWaiting<ComparableRow>(waitingBytesMax, (row) => row, options.onMissing);
  const surplus = createWaiting<FoundRow>(waitingBytesMax, ({ row }) => row, options.onSurplus);

  function compare(stored: ComparableRow, { key, row }: FoundRow): void {
    const foreign = stored.foreign ?? row.foreign;
    const differing = foreign ? undefined : differences(form, stored, row);
    if (foreign) findings.add("wrong_project", key, foreignRow(nameOf(form, stored), foreign));
    if (differing) findings.add("changed_value", key, `${nameOf(form, stored)}: ${differing}`);
  }

  function tolerate(row: ComparableRow): boolean {
    const found = surplus.take(row.identity);
    if (found) compare(row, found);
    return found !== undefined;
  }

  return {
    tolerate,
    expect(row) {
      if (!tolerate(row)) missing.add(row);
    },
    find(found) {
      const stored = missing.take(found.row.identity);
      if (stored) compare(stored, found);
      else surplus.add(found);
    },
    end() {
      missing.giveUp(0);
      surplus.giveUp(0);
    },
  };
}

interface Waiting<T> {
  add(item: T): void;
  take(identity: string): T | undefined;
  /** Reports the oldest unpaired rows until the limit of bytes is met. */
  giveUp(bytesMax: number): void;
}

// Memory of an object in addition to its texts, in bytes.
const VALUE_BYTES = 24;

function sizeOf({ values }: ComparableRow): number {
  return values.reduce((sum, value) => sum + value.length + VALUE_BYTES, 0);
}

function createWaiting<T>(
  bytesMax: number,
  rowOf: (item: T) => ComparableRow,
  onGivenUp: (item: T) => void,
): Waiting<T> {
  // In the order of coming; rows of one identity wait together.
  const items = new Map<string, T[]>();
  let bytes = 0;

  function giveUp(max: number): void {
    for (const [identity, waiting] of items) {
      if (bytes <= max) return;
      items.delete(identity);
      for (const item of waiting) {
        bytes -= sizeOf(rowOf(item));
        onGivenUp(item);
      }
    }
  }

  return {
    giveUp,
    add(item) {
      const row = rowOf(item);
      const waiting = items.get(row.identity);
      if (waiting) waiting.push(item);
      else items.set(row.identity, [item]);
      bytes += sizeOf(row);
      if (bytes > bytesMax) giveUp(bytesMax);
    },
    take(identity) {
      const waiting = items.get(identity);
      const item = waiting?.shift();
      if (item === undefined) return undefined;
      if (waiting?.length === 0) items.delete(identity);
      bytes -= sizeOf(rowOf(item));
      return item;
    },
  };
}
