import { describe, expect, it, test } from "vitest";
import { FAULT_POINT_NAMES } from "../../../contracts/spec/faults.ts";
import { DESTINATIONS } from "../../../emulator/subjects/destinations/records.ts";
import { untriggeredFaults } from "../../../emulator/subjects/faults/rules.ts";
import { buckets, s3Credentials } from "../../../emulator/subjects/object-storage/records.ts";
import { EXPORT, openExportWorld, rowsIn } from "./export-world.ts";

const EVERY_ROW = [0, 1, 2, 3, 4, 5, 6];
const INTERRUPTED = expect.stringMatching(/^Infrastructure interruption/);

describe("a worker crash", () => {
  test.each(FAULT_POINT_NAMES)(
    "at %s is retried 30 s later from the checkpoint, without a second file",
    async (at) => {
      const exportWorld = openExportWorld();
      const { id } = exportWorld.arm({
        plane: "worker",
        match: { export_id: EXPORT, at },
        then: { crash: true },
      });
      exportWorld.begin();
      await exportWorld.advance("PT5M");
      expect(exportWorld.export().status).toBe("COMPLETED");
      expect(exportWorld.run()).toMatchObject({ attempt: 1, errors: { retry_0: INTERRUPTED } });
      expect(rowsIn(exportWorld)).toEqual(EVERY_ROW);
      expect(exportWorld.run().files.map(({ key }) => key)).toEqual([...exportWorld.files.keys()]);
      expect(exportWorld.attempts()).toEqual([0, 30]);
      expect(exportWorld.threadsEnded).toBe(1);
      expect(exportWorld.fault(id)).toMatchObject({ hits: 1, state: "spent" });
    },
  );

  it("after the second file goes on with the third", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ plane: "worker", match: { at: "checkpoint.saved", nth: 2 }, then: { crash: true } });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.puts.map((key) => key.slice(-13))).toEqual([
      "00000.parquet",
      "00001.parquet",
      "00002.parquet",
    ]);
    expect(exportWorld.run().errors).toEqual({ retry_0: INTERRUPTED });
  });

  it("writes the file again whose checkpoint had not moved, under the same key", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ preset: "worker_crash", match: { nth: 2 } });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.puts.map((key) => key.slice(-13))).toEqual([
      "00000.parquet",
      "00001.parquet",
      "00001.parquet",
      "00002.parquet",
    ]);
    expect(rowsIn(exportWorld)).toEqual(EVERY_ROW);
  });

  it("strikes the attempt that it names", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ plane: "worker", match: { at: "run.started", attempt: 1 }, then: { crash: true } });
    exportWorld.arm({ plane: "worker", match: { at: "run.started", attempt: 0 }, then: { crash: true } });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.attempts()).toEqual([0, 30, 60]);
    expect(Object.keys(exportWorld.run().errors)).toEqual(["retry_0", "retry_1"]);
  });

  it("fails the export as it begins when there are no retries", async () => {
    const exportWorld = openExportWorld({ limits: { max_retries: 0 } });
    exportWorld.arm({ plane: "worker", match: { at: "export.running" }, then: { crash: true } });
    exportWorld.begin(2);
    await exportWorld.advance("PT5M");
    expect(exportWorld.world.defect).toBeUndefined();
    expect(exportWorld.export().status).toBe("FAILED");
    expect(exportWorld.runs().map(({ status }) => status)).toEqual(["FAILED", "FAILED"]);
  });

  it("leaves the runs of other exports and other runs alone", async () => {
    const exportWorld = openExportWorld();
    const { id } = exportWorld.arm({ plane: "worker", match: { export_id: "e1*" }, then: { crash: true } });
    exportWorld.begin(2);
    await exportWorld.advance("PT5M");
    expect(exportWorld.runs().map(({ errors }) => errors)).toEqual([{}, {}]);
    expect(exportWorld.fault(id)).toMatchObject({ hits: 0, seen: 0, state: "armed" });
    expect(untriggeredFaults(exportWorld.world.reader).map((rule) => rule.id)).toEqual([id]);
  });

  it("at export.running strikes the first of the runs that begin", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ plane: "worker", match: { at: "export.running" }, then: { crash: true } });
    exportWorld.begin(3);
    await exportWorld.advance("PT5M");
    expect(exportWorld.runs().map(({ attempt }) => attempt)).toEqual([1, 0, 0]);
    expect(exportWorld.export().status).toBe("COMPLETED");
  });
});

describe("a stall", () => {
  it("longer than the run timeout is recorded as one and retried", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ plane: "worker", match: { run: "*" }, then: { stall: "PT4H1S" } });
    exportWorld.begin();
    await exportWorld.advance("PT4H");
    expect(exportWorld.run()).toMatchObject({ attempt: 1, errors: { retry_0: "Run timeout" } });
    await exportWorld.advance("PT5M");
    expect(exportWorld.attempts()).toEqual([0, 4 * 3600 + 30]);
    expect(exportWorld.export().status).toBe("COMPLETED");
    expect(rowsIn(exportWorld)).toEqual(EVERY_ROW);
  });

  it("shorter than the run timeout is only late", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ plane: "worker", match: { at: "rows.read" }, then: { stall: "PT3H59M" } });
    exportWorld.begin();
    await exportWorld.advance("PT3H59M");
    expect(exportWorld.export().status).toBe("RUNNING");
    await exportWorld.advance("PT30S");
    expect(exportWorld.export().status).toBe("COMPLETED");
    expect(exportWorld.run().errors).toEqual({});
  });

  it("of the preset run_timeout is one second longer than the limit of this world", async () => {
    const exportWorld = openExportWorld({ limits: { run_timeout_ms: 60_000 } });
    const armed = exportWorld.arm({ preset: "run_timeout", times: 2 });
    expect(armed).toMatchObject({ preset: "run_timeout", plane: "worker", then: { stall: "PT1M1S" } });
    exportWorld.begin();
    await exportWorld.advance("PT10M");
    expect(exportWorld.run().errors).toEqual({ retry_0: "Run timeout", retry_1: "Run timeout" });
    expect(exportWorld.export().status).toBe("COMPLETED");
  });

  it("of the preset workflow_timeout ends the export as TIMEDOUT", async () => {
    const exportWorld = openExportWorld();
    const armed = exportWorld.arm({ preset: "workflow_timeout", match: { export_id: EXPORT } });
    expect(armed).toMatchObject({
      match: { at: "export.running", export_id: EXPORT },
      then: { stall: "P3DT1S" },
    });
    exportWorld.begin(2);
    await exportWorld.advance("P4D");
    expect(exportWorld.export()).toMatchObject({
      status: "TIMEDOUT",
      finished_at: exportWorld.world.now - 86_400_000,
    });
    expect(exportWorld.runs().map(({ status }) => status)).toEqual(["TIMEDOUT", "COMPLETED"]);
  });
});

describe("a processing error", () => {
  it("is retried", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ preset: "serialization_error" });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.run().errors).toEqual({
      retry_0: expect.stringMatching(/^Serialization error: .*rows\.read/),
    });
    expect(exportWorld.export().status).toBe("COMPLETED");
  });

  it("that stays ends the export after the twentieth retry", async () => {
    const exportWorld = openExportWorld();
    const { id } = exportWorld.arm({ preset: "serialization_error", times: 1000 });
    exportWorld.begin();
    await exportWorld.advance("PT1H");
    expect(exportWorld.export().status).toBe("FAILED");
    expect(Object.keys(exportWorld.run().errors)).toEqual(Array.from({ length: 21 }, (_, n) => `retry_${n}`));
    expect(exportWorld.attempts()).toEqual(Array.from({ length: 21 }, (_, n) => 30 * n));
    expect(exportWorld.fault(id)).toMatchObject({ hits: 21, state: "armed" });
  });
});

describe("what an export stands on", () => {
  const FAILED = { attempt: 1, status: "FAILED" };

  test.each([
    ["bucket_deleted", /^Storage or destination error: The specified bucket does not exist/],
    ["destination_deleted", /^Destination deleted during the export/],
    ["credentials_revoked", /^Storage or destination error: The AWS Access Key Id/],
    ["permission_denied", /^Storage or destination error: Access Denied/],
  ])("%s fails it without a retry", async (preset, message) => {
    const exportWorld = openExportWorld();
    const { id } = exportWorld.arm({ preset });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.run()).toMatchObject({
      ...FAILED,
      errors: { retry_0: expect.stringMatching(message) },
    });
    expect(exportWorld.export().status).toBe("FAILED");
    expect(exportWorld.attempts()).toEqual([0]);
    expect(exportWorld.fault(id)).toMatchObject({ hits: 1, preset });
  });

  test.each([
    ["bucket_deleted", buckets],
    ["destination_deleted", DESTINATIONS],
    ["credentials_revoked", s3Credentials],
  ] as const)("is really gone after %s", (preset, kind) => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ preset });
    exportWorld.begin();
    expect([...exportWorld.world.reader.all(kind as typeof buckets)]).toEqual([]);
  });

  it("can go after the first file, which stays", async () => {
    const exportWorld = openExportWorld();
    exportWorld.arm({ preset: "credentials_revoked", match: { at: "checkpoint.saved" } });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.run().files).toHaveLength(1);
    expect(exportWorld.export().status).toBe("FAILED");
  });

  it("is a bucket by name when the rule says which", async () => {
    const exportWorld = openExportWorld();
    const match = { at: "export.running", export_id: EXPORT.toUpperCase() };
    exportWorld.arm({ plane: "s3", match, then: { delete_bucket: "traces" } });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.run()).toMatchObject(FAILED);
  });

  it("is not touched when it is elsewhere", async () => {
    const exportWorld = openExportWorld({ embedded: false });
    const { id } = exportWorld.arm({ preset: "bucket_deleted" });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.export().status).toBe("COMPLETED");
    expect(exportWorld.fault(id).hits).toBe(0);
  });

  it("that is busy is no fault of the destination: the run is retried", async () => {
    const exportWorld = openExportWorld();
    const match = { op: "PutObject", bucket: "traces", nth: 2 };
    exportWorld.arm({ plane: "s3", match, then: { s3_error: "SlowDown" }, times: 2 });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.attempts()).toEqual([0, 31, 61]);
    expect(exportWorld.export().status).toBe("COMPLETED");
    expect(rowsIn(exportWorld)).toEqual(EVERY_ROW);
  });
});

describe("the journal", () => {
  it("has a note of every strike, with its rule and its occasion", async () => {
    const exportWorld = openExportWorld();
    const { id } = exportWorld.arm({
      plane: "worker",
      match: { at: "file.written", nth: 2 },
      then: { crash: true },
    });
    exportWorld.begin();
    await exportWorld.advance("PT5M");
    expect(exportWorld.struck()).toEqual([
      {
        now: exportWorld.at(1),
        rule: id,
        plane: "worker",
        occasion: { export_id: EXPORT, run: exportWorld.run().id, at: "file.written", attempt: 0 },
        then: { crash: true },
      },
    ]);
  });

  it("and the records carry armed faults over a restart", async () => {
    const before = openExportWorld();
    const { id } = before.arm({
      plane: "worker",
      match: { at: "file.written", nth: 3 },
      then: { crash: true },
    });
    before.begin();
    await before.advance("PT1S");
    expect(before.fault(id)).toMatchObject({ seen: 2, hits: 0 });
    const state = JSON.parse(JSON.stringify(before.world.state()));
    const after = openExportWorld({ state });
    await after.advance("PT5M");
    expect(after.fault(id)).toMatchObject({ seen: 3, hits: 1, state: "spent" });
    expect(after.run().errors).toEqual({ retry_0: INTERRUPTED });
  });
});
