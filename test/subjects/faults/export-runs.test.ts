import { describe, expect, it, test } from "vitest";
import { FAULT_POINT_NAMES } from "../../../contracts/spec/faults.ts";
import { DESTINATIONS } from "../../../emulator/subjects/destinations/records.ts";
import { unstruckFaults } from "../../../emulator/subjects/faults/rules.ts";
import { buckets, s3Credentials } from "../../../emulator/subjects/object-storage/records.ts";
import { EXPORT, openExportWorld, rowsIn } from "./export-world.ts";

const EVERY_ROW = [0, 1, 2, 3, 4, 5, 6];
const INTERRUPTED = expect.stringMatching(/^Infrastructure interruption/);

describe("a worker crash", () => {
  test.each(FAULT_POINT_NAMES)(
    "at %s is retried 30 s later from the checkpoint, without a second file",
    async (at) => {
      const scene = openExportWorld();
      const { id } = scene.arm({ plane: "worker", match: { export_id: EXPORT, at }, then: { crash: true } });
      scene.begin();
      await scene.advance("PT5M");
      expect(scene.export().status).toBe("COMPLETED");
      expect(scene.run()).toMatchObject({ attempt: 1, errors: { retry_0: INTERRUPTED } });
      expect(rowsIn(scene)).toEqual(EVERY_ROW);
      expect(scene.run().files.map(({ key }) => key)).toEqual([...scene.files.keys()]);
      expect(scene.attempts()).toEqual([0, 30]);
      expect(scene.threadsEnded).toBe(1);
      expect(scene.fault(id)).toMatchObject({ hits: 1, state: "spent" });
    },
  );

  it("after the second file goes on with the third", async () => {
    const scene = openExportWorld();
    scene.arm({ plane: "worker", match: { at: "checkpoint.saved", nth: 2 }, then: { crash: true } });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.puts.map((key) => key.slice(-13))).toEqual([
      "00000.parquet",
      "00001.parquet",
      "00002.parquet",
    ]);
    expect(scene.run().errors).toEqual({ retry_0: INTERRUPTED });
  });

  it("writes the file again whose checkpoint had not moved, under the same key", async () => {
    const scene = openExportWorld();
    scene.arm({ preset: "worker_crash", match: { nth: 2 } });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.puts.map((key) => key.slice(-13))).toEqual([
      "00000.parquet",
      "00001.parquet",
      "00001.parquet",
      "00002.parquet",
    ]);
    expect(rowsIn(scene)).toEqual(EVERY_ROW);
  });

  it("strikes the attempt that it names", async () => {
    const scene = openExportWorld();
    scene.arm({ plane: "worker", match: { at: "run.started", attempt: 1 }, then: { crash: true } });
    scene.arm({ plane: "worker", match: { at: "run.started", attempt: 0 }, then: { crash: true } });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.attempts()).toEqual([0, 30, 60]);
    expect(Object.keys(scene.run().errors)).toEqual(["retry_0", "retry_1"]);
  });

  it("fails the export as it begins when there are no retries", async () => {
    const scene = openExportWorld({ limits: { max_retries: 0 } });
    scene.arm({ plane: "worker", match: { at: "export.running" }, then: { crash: true } });
    scene.begin(2);
    await scene.advance("PT5M");
    expect(scene.world.defect).toBeUndefined();
    expect(scene.export().status).toBe("FAILED");
    expect(scene.runs().map(({ status }) => status)).toEqual(["FAILED", "FAILED"]);
  });

  it("leaves the runs of other exports and other runs alone", async () => {
    const scene = openExportWorld();
    const { id } = scene.arm({ plane: "worker", match: { export_id: "e1*" }, then: { crash: true } });
    scene.begin(2);
    await scene.advance("PT5M");
    expect(scene.runs().map(({ errors }) => errors)).toEqual([{}, {}]);
    expect(scene.fault(id)).toMatchObject({ hits: 0, seen: 0, state: "armed" });
    expect(unstruckFaults(scene.world.reader).map((rule) => rule.id)).toEqual([id]);
  });

  it("at export.running strikes the first of the runs that begin", async () => {
    const scene = openExportWorld();
    scene.arm({ plane: "worker", match: { at: "export.running" }, then: { crash: true } });
    scene.begin(3);
    await scene.advance("PT5M");
    expect(scene.runs().map(({ attempt }) => attempt)).toEqual([1, 0, 0]);
    expect(scene.export().status).toBe("COMPLETED");
  });
});

describe("a stall", () => {
  it("longer than the run timeout is recorded as one and retried", async () => {
    const scene = openExportWorld();
    scene.arm({ plane: "worker", match: { run: "*" }, then: { stall: "PT4H1S" } });
    scene.begin();
    await scene.advance("PT4H");
    expect(scene.run()).toMatchObject({ attempt: 1, errors: { retry_0: "Run timeout" } });
    await scene.advance("PT5M");
    expect(scene.attempts()).toEqual([0, 4 * 3600 + 30]);
    expect(scene.export().status).toBe("COMPLETED");
    expect(rowsIn(scene)).toEqual(EVERY_ROW);
  });

  it("shorter than the run timeout is only late", async () => {
    const scene = openExportWorld();
    scene.arm({ plane: "worker", match: { at: "rows.read" }, then: { stall: "PT3H59M" } });
    scene.begin();
    await scene.advance("PT3H59M");
    expect(scene.export().status).toBe("RUNNING");
    await scene.advance("PT30S");
    expect(scene.export().status).toBe("COMPLETED");
    expect(scene.run().errors).toEqual({});
  });

  it("of the preset run_timeout is one second longer than the limit of this world", async () => {
    const scene = openExportWorld({ limits: { run_timeout_ms: 60_000 } });
    const armed = scene.arm({ preset: "run_timeout", times: 2 });
    expect(armed).toMatchObject({ preset: "run_timeout", plane: "worker", then: { stall: "PT1M1S" } });
    scene.begin();
    await scene.advance("PT10M");
    expect(scene.run().errors).toEqual({ retry_0: "Run timeout", retry_1: "Run timeout" });
    expect(scene.export().status).toBe("COMPLETED");
  });

  it("of the preset workflow_timeout ends the export as TIMEDOUT", async () => {
    const scene = openExportWorld();
    const armed = scene.arm({ preset: "workflow_timeout", match: { export_id: EXPORT } });
    expect(armed).toMatchObject({
      match: { at: "export.running", export_id: EXPORT },
      then: { stall: "P3DT1S" },
    });
    scene.begin(2);
    await scene.advance("P4D");
    expect(scene.export()).toMatchObject({ status: "TIMEDOUT", finished_at: scene.world.now - 86_400_000 });
    expect(scene.runs().map(({ status }) => status)).toEqual(["TIMEDOUT", "COMPLETED"]);
  });
});

describe("a processing error", () => {
  it("is retried", async () => {
    const scene = openExportWorld();
    scene.arm({ preset: "serialization_error" });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.run().errors).toEqual({
      retry_0: expect.stringMatching(/^Serialization error: .*rows\.read/),
    });
    expect(scene.export().status).toBe("COMPLETED");
  });

  it("that stays ends the export after the twentieth retry", async () => {
    const scene = openExportWorld();
    const { id } = scene.arm({ preset: "serialization_error", times: 1000 });
    scene.begin();
    await scene.advance("PT1H");
    expect(scene.export().status).toBe("FAILED");
    expect(Object.keys(scene.run().errors)).toEqual(Array.from({ length: 21 }, (_, n) => `retry_${n}`));
    expect(scene.attempts()).toEqual(Array.from({ length: 21 }, (_, n) => 30 * n));
    expect(scene.fault(id)).toMatchObject({ hits: 21, state: "armed" });
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
    const scene = openExportWorld();
    const { id } = scene.arm({ preset });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.run()).toMatchObject({ ...FAILED, errors: { retry_0: expect.stringMatching(message) } });
    expect(scene.export().status).toBe("FAILED");
    expect(scene.attempts()).toEqual([0]);
    expect(scene.fault(id)).toMatchObject({ hits: 1, preset });
  });

  test.each([
    ["bucket_deleted", buckets],
    ["destination_deleted", DESTINATIONS],
    ["credentials_revoked", s3Credentials],
  ] as const)("is really gone after %s", (preset, kind) => {
    const scene = openExportWorld();
    scene.arm({ preset });
    scene.begin();
    expect([...scene.world.reader.all(kind as typeof buckets)]).toEqual([]);
  });

  it("can go after the first file, which stays", async () => {
    const scene = openExportWorld();
    scene.arm({ preset: "credentials_revoked", match: { at: "checkpoint.saved" } });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.run().files).toHaveLength(1);
    expect(scene.export().status).toBe("FAILED");
  });

  it("is a bucket by name when the rule says which", async () => {
    const scene = openExportWorld();
    const match = { at: "export.running", export_id: EXPORT.toUpperCase() };
    scene.arm({ plane: "s3", match, then: { delete_bucket: "traces" } });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.run()).toMatchObject(FAILED);
  });

  it("is not touched when it is elsewhere", async () => {
    const scene = openExportWorld({ embedded: false });
    const { id } = scene.arm({ preset: "bucket_deleted" });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.export().status).toBe("COMPLETED");
    expect(scene.fault(id).hits).toBe(0);
  });

  it("that is busy is no fault of the destination: the run is retried", async () => {
    const scene = openExportWorld();
    const match = { op: "PutObject", bucket: "traces", nth: 2 };
    scene.arm({ plane: "s3", match, then: { s3_error: "SlowDown" }, times: 2 });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.attempts()).toEqual([0, 31, 61]);
    expect(scene.export().status).toBe("COMPLETED");
    expect(rowsIn(scene)).toEqual(EVERY_ROW);
  });
});

describe("the journal", () => {
  it("has a note of every strike, with its rule and its occasion", async () => {
    const scene = openExportWorld();
    const { id } = scene.arm({
      plane: "worker",
      match: { at: "file.written", nth: 2 },
      then: { crash: true },
    });
    scene.begin();
    await scene.advance("PT5M");
    expect(scene.struck()).toEqual([
      {
        now: scene.at(1),
        rule: id,
        plane: "worker",
        occasion: { export_id: EXPORT, run: scene.run().id, at: "file.written", attempt: 0 },
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
