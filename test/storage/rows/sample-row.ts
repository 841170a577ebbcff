import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { rowOf } from "../../../emulator/storage/rows/lines.ts";
import { createPartitionReader } from "../../../emulator/storage/rows/partition-reader.ts";
import type { PartitionWindow } from "../../../emulator/subjects/traces/port.ts";
import { buildRow } from "../../../emulator/subjects/traces/row.ts";
import { openTraceStore, type TestRows } from "./open-store.ts";

export const SCOPE = { region: "us", tenantId: "00000000-0000-4000-8000-000000000001" } as const;
export const SESSION = "5e550000-0000-4000-8000-000000000001";
export const DAY = "2025-03-01";

/** The nth id; ids do not ascend with n. */
export function idOf(n: number): string {
  const mixed = (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${mixed}-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** The instant so many microseconds into 1 March 2025. */
export function instant(micros: number, day = DAY): string {
  const ms = Date.parse(`${day}T00:00:00Z`) + Math.floor(micros / 1000);
  return `${new Date(ms).toISOString().slice(0, 23)}${String(micros % 1000).padStart(3, "0")}Z`;
}

export function sampleRow(n: number, changes: Partial<TraceRow> = {}): TraceRow {
  return {
    ...buildRow(idOf(n), {}, instant(0), () => undefined),
    session_id: SESSION,
    name: `step ${n}`,
    run_type: "chain",
    start_time: instant(n * 1000),
    status: "pending",
    dotted_order: `20250301T000000000000Z${idOf(n)}`,
    trace_tier: "shortlived",
    tags: ["a", "b"],
    total_tokens: 3,
    prompt_tokens: 2,
    completion_tokens: 1,
    total_cost: "0.10",
    completion_cost: "0.000000000001",
    inputs: { question: `number ${n}` },
    extra: { metadata: { n } },
    events: [],
    ...changes,
  };
}

/** A folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "traces-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function wholeDay(asOf: number, day = DAY): PartitionWindow {
  return {
    ...SCOPE,
    sessionId: SESSION,
    day,
    asOf,
    start: instant(0, day),
    end: "9999-01-01T00:00:00.000000Z",
  };
}

/** All rows of a window as a fresh reader of a folder, or of a store, sees them, a few at a time. */
export function readAll(
  where: string | TestRows["location"],
  window: PartitionWindow,
  rowsAtATime = 1000,
): TraceRow[] {
  const reader = createPartitionReader(
    typeof where === "string" ? openTraceStore({ folder: where }).location : where,
  );
  try {
    const source = reader.open(window, null);
    const rows: TraceRow[] = [];
    for (;;) {
      const batch = source.take(rowsAtATime, Number.MAX_SAFE_INTEGER, true);
      if (batch.length === 0) return rows;
      rows.push(...batch.map(({ line }) => rowOf(line)));
    }
  } finally {
    reader.close();
  }
}
