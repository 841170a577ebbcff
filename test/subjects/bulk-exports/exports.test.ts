import { describe, expect, it } from "vitest";
import { applyCommits } from "../../../emulator/kernel/commit.ts";
import { Refusal } from "../../../emulator/kernel/refusal.ts";
import { type BulkExport, EXPORTS } from "../../../emulator/subjects/bulk-exports/records.ts";
import { noteEmptySelection } from "../../../emulator/subjects/bulk-exports/selection.ts";
import type { Turn } from "../../../emulator/subjects/turn.ts";
import { type ExportWorld, openExportWorld } from "../../support/export-world.ts";

const WINDOW = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-02T00:00:00Z" };
const row = (nth: number) => `${String(nth).padStart(8, "0")}-0000-4000-8000-000000000001`;
const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, "0")}:00:00.000000Z`;

function withRows(count: number, options: Parameters<typeof openExportWorld>[0] = {}): ExportWorld {
  const exportWorld = openExportWorld(options);
  for (let nth = 0; nth < count; nth += 1) exportWorld.ingest(row(nth), at(nth), "kept");
  return exportWorld;
}

const createIn = (exportWorld: ExportWorld) =>
  exportWorld.create({ bulk_export_destination_id: exportWorld.addDestination(), ...WINDOW });

/** What happened to the exports, by second: events, moves and failures in the journal. */
function journalOf(exportWorld: ExportWorld): string[] {
  const start = Date.UTC(2026, 0, 10);
  return exportWorld.world.journal.since(0).flatMap(({ now, cause, notes = [] }) => {
    const second = (Date.parse(now) - start) / 1000;
    return notes.flatMap(({ kind, detail = {} }) => {
      if (kind.endsWith(".moved"))
        return [`${second} ${cause.name}: ${kind.split(".")[0]} ${detail.from} → ${detail.to}`];
      return kind === "export_run.failed" ? [`${second} ${cause.name}: ${detail.failure}`] : [];
    });
  });
}

describe("the life of an export", () => {
  it("is recorded in the journal", async () => {
    const exportWorld = withRows(7);
    const { id } = createIn(exportWorld);
    exportWorld.arm({ target: "worker", match: { at: "file.written", nth: 2 }, then: { crash: true } });
    await exportWorld.advance("PT5M");
    expect(journalOf(exportWorld)).toMatchInlineSnapshot(`
      [
        "1 export.due: export CREATED → RUNNING",
        "1 export_run.start: export_run CREATED → RUNNING",
        "2 export.end_thread: worker_crash",
        "34 export_run.step: export_run RUNNING → COMPLETED",
        "34 export_run.step: export RUNNING → COMPLETED",
      ]
    `);
    expect(exportWorld.runs(id)[0]).toMatchObject({ attempt: 1, exhausted: true });
  });

  it.each([
    ["completed", 20, "COMPLETED"],
    ["failed", 0, "FAILED"],
  ])("leaves nothing in the queue when it has %s", async (_, max_retries, status) => {
    const exportWorld = withRows(7, { limits: { max_retries } });
    const { id } = createIn(exportWorld);
    exportWorld.arm({ target: "worker", match: { at: "file.written" }, times: 1, then: { crash: true } });
    await exportWorld.advance("PT5M");
    expect(exportWorld.export(id).status).toBe(status);
    expect(exportWorld.world.queue()).toEqual([]);
  });

  it("keeps one deadline of a run, however often it is tried again", async () => {
    const exportWorld = withRows(7);
    createIn(exportWorld);
    exportWorld.arm({ target: "worker", match: { at: "file.written" }, times: 5, then: { crash: true } });
    await exportWorld.advance("PT100S");
    const kinds = exportWorld.world.queue().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "export_run.deadline").length).toBeLessThanOrEqual(1);
    expect(kinds).toContain("export.deadline");
  });

  it("releases thousands of waiting exports when the destination is deleted", async () => {
    const exportWorld = withRows(1, { limits: { max_concurrent_exports_per_workspace: 1 } });
    exportWorld.arm({ target: "worker", match: { at: "run.started" }, then: { stall: "PT1H" } });
    const destination = exportWorld.addDestination();
    const { id } = exportWorld.create({
      bulk_export_destination_id: destination,
      start_time: "2025-01-01T00:00:00Z",
      interval_hours: 1,
    });
    await exportWorld.advance("PT1M");
    const [first, ...waiting] = exportWorld.spawned(id);
    expect(first?.status).toBe("RUNNING");
    expect(waiting.length).toBeGreaterThan(8000);
    exportWorld.removeDestination(destination);
    exportWorld.cancel(first?.id as string);
    const statuses = new Set(exportWorld.spawned(id).map(({ status }) => status));
    expect(statuses).toEqual(new Set(["CANCELLED", "FAILED"]));
    expect(exportWorld.world.defect).toBeUndefined();
  });
});

describe("a run reads the rows as of its start", () => {
  it("although all of them have moved to another day since", async () => {
    const exportWorld = withRows(7);
    const { id } = createIn(exportWorld);
    await exportWorld.advance("PT1S");
    for (let nth = 0; nth < 7; nth += 1) exportWorld.ingest(row(nth), "2026-01-05T00:00:00.000000Z", "moved");
    await exportWorld.advance("PT5M");
    const [run] = exportWorld.runs(id);
    expect(exportWorld.rowsIn(run as never)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((nth) => `${row(nth)}#${nth}`),
    );
  });

  it("without rows that arrived before its first step", async () => {
    const exportWorld = withRows(0);
    exportWorld.arm({ target: "worker", match: { at: "run.started" }, then: { stall: "PT1M" } });
    const { id } = createIn(exportWorld);
    await exportWorld.advance("PT1S");
    exportWorld.ingest(row(1), at(1), "late");
    await exportWorld.advance("PT5M");
    expect(exportWorld.export(id).status).toBe("COMPLETED");
    expect(exportWorld.runs(id)[0]).toMatchObject({ files: [], exhausted: true });
  });

  it("in every attempt, as of the first", async () => {
    const exportWorld = withRows(2);
    exportWorld.arm({ target: "worker", match: { at: "rows.read" }, then: { crash: true } });
    const { id } = createIn(exportWorld);
    await exportWorld.advance("PT2S");
    exportWorld.ingest(row(3), at(3), "late");
    await exportWorld.advance("PT5M");
    expect(exportWorld.rowsIn(exportWorld.runs(id)[0] as never)).toEqual([`${row(0)}#0`, `${row(1)}#1`]);
  });
});

describe("the end of the process with a file under way (§7.3-1)", () => {
  it.each([
    ["that has arrived", true],
    ["that has not", false],
  ])("%s costs a retry and no row", async (_what, arrived) => {
    const exportWorld = withRows(7);
    const { id } = createIn(exportWorld);
    await exportWorld.advance("PT1S");
    exportWorld.hold();
    await exportWorld.advance("PT2S");
    expect(exportWorld.world.inFlight().map(({ kind }) => kind)).toEqual(["export.write_file"]);
    exportWorld.crash(() => arrived);
    expect(exportWorld.runs(id)[0]).toMatchObject({
      status: "RUNNING",
      errors: { retry_0: "Infrastructure interruption: the emulator was restarted" },
    });
    await exportWorld.advance("PT5M");
    const [run] = exportWorld.runs(id);
    expect(exportWorld.export(id).status).toBe("COMPLETED");
    expect(exportWorld.rowsIn(run as never)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((nth) => `${row(nth)}#${nth}`),
    );
  });

  it("of a cancelled export: a late result is dropped", async () => {
    const exportWorld = withRows(2);
    const { id } = createIn(exportWorld);
    exportWorld.hold();
    await exportWorld.advance("PT2S");
    exportWorld.cancel(id);
    exportWorld.release();
    await exportWorld.advance("PT5M");
    expect(exportWorld.export(id).status).toBe("CANCELLED");
    expect(exportWorld.runs(id)).toMatchObject([{ status: "CANCELLED", files: [] }]);
    expect(exportWorld.world.defect).toBeUndefined();
  });
});

it("a cancelled export removes its events, in the journal too, and changes no number of others (§4.7)", () => {
  const exportWorld = withRows(1);
  const { world } = exportWorld;
  const destination = { bulk_export_destination_id: exportWorld.addDestination() };
  const far = { start_time: "2030-01-01T00:00:00Z", end_time: "2030-01-02T00:00:00Z" };
  const laterExport = exportWorld.create({ ...destination, ...far });
  const before = world.state();
  const skipped = exportWorld.commits.length;
  for (let nth = 0; nth < 20; nth += 1) {
    exportWorld.cancel(exportWorld.create({ ...destination, ...far }).id);
    exportWorld.cancel(exportWorld.create({ ...destination, ...far, end_time: null, interval_hours: 24 }).id);
  }
  expect(world.state().queue).toEqual(before.queue);
  expect(before.queue.map(({ ref }) => ref)).toEqual([laterExport.id]);
  expect(applyCommits(before, exportWorld.commits.slice(skipped)).queue).toEqual(before.queue);
  exportWorld.create({ ...destination, ...far });
  const [first, last] = world.state().queue;
  expect((last?.number ?? 0) - (first?.number ?? 0)).toBe(41);
});

describe("the calendar", () => {
  it("a window may end with the last microsecond of the year 9999", async () => {
    const exportWorld = openExportWorld();
    const window = { start_time: "9999-12-30T12:00:00.000001Z", end_time: "9999-12-31T23:59:59.999999Z" };
    const destination = { bulk_export_destination_id: exportWorld.addDestination() };
    const { id, start_time, end_time } = exportWorld.create({ ...destination, ...window });
    expect({ start_time, end_time }).toEqual(window);
    await exportWorld.advance("PT1H");
    const midnight = "9999-12-31T00:00:00.000000Z";
    expect(exportWorld.runs(id).map((run) => [run.status, run.start_time, run.end_time])).toEqual([
      ["COMPLETED", window.start_time, midnight],
      ["COMPLETED", midnight, window.end_time],
    ]);
  });

  it("no window of a schedule ends after the year 9999", async () => {
    const exportWorld = openExportWorld({ now: Date.UTC(9999, 11, 31) });
    const { id } = exportWorld.create({
      bulk_export_destination_id: exportWorld.addDestination(),
      start_time: "9999-12-31T00:00:00Z",
      interval_hours: 23,
    });
    await exportWorld.advance("PT23H30M");
    expect(exportWorld.spawned(id)).toHaveLength(1);
    expect(exportWorld.world.queue().every(({ at: due }) => Number.isFinite(due))).toBe(true);
    expect(exportWorld.world.queue().some(({ kind }) => kind === "export.spawn")).toBe(false);
  });
});

it.each([
  ["can be read", () => ["2026-01-01"], 1],
  ["are damaged", () => raise(new Refusal(503, "damaged", "They are damaged.")), 0],
] as const)("a filter that selects nothing is noted if the rows of the window %s", async (_, days, notes) => {
  const exportWorld = openExportWorld();
  const { id } = createIn(exportWorld);
  await exportWorld.advance("PT1H");
  const kinds: string[] = [];
  exportWorld.world.turn({ type: "control", name: "test" }, (open) => {
    const traces = { value: { ...open.ports, traces: { ...open.ports.traces, days } } };
    const turn: Turn = Object.create(open, {
      ports: traces,
      note: { value: (kind: string) => kinds.push(kind) },
    });
    noteEmptySelection(turn, { ...(open.get(EXPORTS, id) as BulkExport), filter: 'eq(name, "x")' });
  });
  expect(kinds).toEqual(Array(notes).fill("filter.selected_nothing"));
});

function raise(error: Error): never {
  throw error;
}
