import { describe, expect, it, test } from "vitest";
import { FAULT_POINT_NAMES } from "../../../contracts/spec/faults.ts";
import { formatInstant } from "../../../emulator/kernel/instant.ts";
import type { BulkExport, ExportRun } from "../../../emulator/subjects/bulk-exports/records.ts";
import { untriggeredFaults } from "../../../emulator/subjects/faults/rules.ts";
import { type ExportWorldOptions, NOW, openExportWorld } from "../../support/export-world.ts";
import { withVerbs } from "../../support/world.ts";

/** Rows of each day: files of three, three and one. */
const EVERY_ROW = [0, 1, 2, 3, 4, 5, 6];
const INTERRUPTED = expect.stringMatching(/^Infrastructure interruption/);
/** An export begins a second after it was created. */
const START = NOW + 1000;

/** An export of some days with seven rows each, which has been created and not begun. */
function openExport({ days = 1, ...options }: ExportWorldOptions & { readonly days?: number } = {}) {
  const base = openExportWorld(options);
  for (let day = 1; day <= days; day += 1)
    for (const nth of EVERY_ROW)
      base.ingest(
        `0000000${nth}-0000-4000-8000-00000000000${day}`,
        `2026-01-0${day}T0${nth}:00:00.000000Z`,
        "",
      );
  const { id } = base.create({
    bulk_export_destination_id: base.addDestination(),
    start_time: "2026-01-01T00:00:00Z",
    end_time: `2026-01-0${1 + days}T00:00:00Z`,
  });
  const runs = () => base.runs(id);
  return withVerbs(base, {
    id,
    parent: (): BulkExport => base.export(id),
    runs,
    run: () => runs()[0] as ExportRun,
    /** The rows in the files that the records of the runs name. */
    rows: () => runs().flatMap((run) => base.rowsIn(run).map((name) => Number(name.slice(0, 8)))),
    /** Instants, as seconds since the export began, at which attempts at runs were made. */
    attempts: () =>
      base.world.journal
        .since(0)
        .filter(({ cause }) => cause.name === "export_run.start")
        .map(({ now }) => (Date.parse(now) - START) / 1000),
  });
}

describe("a worker crash", () => {
  test.each(FAULT_POINT_NAMES)(
    "at %s is retried 30 s later from the checkpoint, without a second file (§8.3)",
    async (at) => {
      const world = openExport();
      const { id } = world.arm({
        target: "worker",
        match: { export_id: world.id, at },
        then: { crash: true },
      });
      await world.advance("PT5M");
      expect(world.parent().status).toBe("COMPLETED");
      expect(world.run()).toMatchObject({ attempt: 1, errors: { retry_0: INTERRUPTED } });
      expect(world.rows()).toEqual(EVERY_ROW);
      expect(world.run().files.map(({ key }) => `traces/${key}`)).toEqual([...world.files.keys()]);
      expect(world.attempts()).toEqual([0, 30]);
      expect(world.threadsEnded).toBe(1);
      expect(world.fault(id)).toMatchObject({ hits: 1, state: "spent" });
    },
  );

  test.each([
    [
      "after the checkpoint of the second file resumes with the third",
      { target: "worker", match: { at: "checkpoint.saved", nth: 2 }, then: { crash: true } },
      [0, 1, 2],
    ],
    [
      "before the checkpoint of the second file writes that file again, under the same key",
      { preset: "worker_crash", match: { nth: 2 } },
      [0, 1, 1, 2],
    ],
  ])("%s", async (_, fault, puts) => {
    const world = openExport();
    world.arm(fault);
    await world.advance("PT5M");
    expect(world.puts.map((key) => key.slice(-13))).toEqual(puts.map((nth) => `0000${nth}.parquet`));
    expect(world.run().errors).toEqual({ retry_0: INTERRUPTED });
    expect(world.rows()).toEqual(EVERY_ROW);
  });

  it("hits only the attempt that match.attempt names", async () => {
    const world = openExport();
    for (const attempt of [1, 0])
      world.arm({ target: "worker", match: { at: "run.started", attempt }, then: { crash: true } });
    await world.advance("PT5M");
    expect(world.attempts()).toEqual([0, 30, 60]);
    expect(Object.keys(world.run().errors)).toEqual(["retry_0", "retry_1"]);
  });

  it("at export.running fails the export at once when max_retries is 0", async () => {
    const world = openExport({ days: 2, limits: { max_retries: 0 } });
    world.arm({ target: "worker", match: { at: "export.running" }, then: { crash: true } });
    await world.advance("PT5M");
    expect(world.world.defect).toBeUndefined();
    expect(world.parent().status).toBe("FAILED");
    expect(world.runs().map(({ status }) => status)).toEqual(["FAILED", "FAILED"]);
  });

  it("of another export does not affect this one and stays armed", async () => {
    const world = openExport({ days: 2 });
    const { id } = world.arm({ target: "worker", match: { export_id: "no-such-*" }, then: { crash: true } });
    await world.advance("PT5M");
    expect(world.runs().map(({ errors }) => errors)).toEqual([{}, {}]);
    expect(world.fault(id)).toMatchObject({ hits: 0, seen: 0, state: "armed" });
    expect(untriggeredFaults(world.reader).map((rule) => rule.id)).toEqual([id]);
  });

  it("at export.running hits the first of the runs that begin", async () => {
    const world = openExport({ days: 3 });
    world.arm({ target: "worker", match: { at: "export.running" }, then: { crash: true } });
    await world.advance("PT5M");
    expect(world.runs().map(({ attempt }) => attempt)).toEqual([1, 0, 0]);
    expect(world.parent().status).toBe("COMPLETED");
  });
});

describe("a stall", () => {
  it("shorter than the run timeout only delays the run", async () => {
    const world = openExport();
    world.arm({ target: "worker", match: { at: "rows.read" }, then: { stall: "PT3H59M" } });
    await world.advance("PT3H59M1S");
    expect(world.parent().status).toBe("RUNNING");
    await world.advance("PT30S");
    expect(world.parent().status).toBe("COMPLETED");
    expect(world.run().errors).toEqual({});
  });

  it("of the preset run_timeout is one second longer than limits.run_timeout", async () => {
    const world = openExport({ limits: { run_timeout_ms: 60_000 } });
    const armed = world.arm({ preset: "run_timeout", times: 2 });
    expect(armed).toMatchObject({ preset: "run_timeout", target: "worker", then: { stall: "PT1M1S" } });
    await world.advance("PT10M");
    expect(world.run().errors).toEqual({ retry_0: "Run timeout", retry_1: "Run timeout" });
    expect(world.parent().status).toBe("COMPLETED");
  });
});

describe("a fault of the object store or the destination", () => {
  it("after the first file keeps that file", async () => {
    const world = openExport();
    world.arm({ preset: "credentials_revoked", match: { at: "checkpoint.saved" } });
    await world.advance("PT5M");
    expect(world.run().files).toHaveLength(1);
    expect(world.parent().status).toBe("FAILED");
  });

  it("deletes the bucket that then.delete_bucket names; ids match in any case", async () => {
    const world = openExport();
    const match = { at: "export.running", export_id: world.id.toUpperCase() };
    world.arm({ target: "s3", match, then: { delete_bucket: "traces" } });
    await world.advance("PT5M");
    expect(world.run()).toMatchObject({ attempt: 1, status: "FAILED" });
  });

  it("does not touch a destination that is elsewhere", async () => {
    const world = openExport({ embedded: false });
    const { id } = world.arm({ preset: "bucket_deleted" });
    await world.advance("PT5M");
    expect(world.parent().status).toBe("COMPLETED");
    expect(world.fault(id).hits).toBe(0);
  });
});

it("the journal notes every hit with its rule and its occasion", async () => {
  const world = openExport();
  const then = { crash: true };
  const { id } = world.arm({ target: "worker", match: { at: "file.written", nth: 2 }, then });
  await world.advance("PT5M");
  const occasion = { export_id: world.id, run: world.run().id, at: "file.written", attempt: 0 };
  expect(world.notes("fault.triggered")).toEqual([
    {
      now: formatInstant(START + 1000),
      kind: "fault.triggered",
      ref: id,
      detail: { rule: id, target: "worker", occasion, then },
    },
  ]);
});

it("an armed fault and its count survive a restart", async () => {
  const world = openExport();
  const { id } = world.arm({
    target: "worker",
    match: { at: "file.written", nth: 3 },
    then: { crash: true },
  });
  await world.advance("PT2S");
  expect(world.fault(id)).toMatchObject({ seen: 2, hits: 0 });
  world.crash(() => true);
  await world.advance("PT5M");
  expect(world.fault(id)).toMatchObject({ seen: 3, hits: 1, state: "spent" });
  expect(world.run().errors).toEqual({ retry_0: INTERRUPTED });
});
