import { beforeEach, describe, expect, it, test } from "vitest";
import type { FaultTarget, HappeningOf } from "../../../contracts/spec/faults.ts";
import { matchesPattern } from "../../../emulator/subjects/faults/match.ts";
import { FAULTS } from "../../../emulator/subjects/faults/records.ts";
import {
  armFault,
  listFaults,
  removeFault,
  removeFaults,
  untriggeredFaults,
} from "../../../emulator/subjects/faults/rules.ts";
import { unhandled } from "../../../emulator/subjects/faults/target.ts";
import { mayTrigger, trigger } from "../../../emulator/subjects/faults/trigger.ts";
import { triggerFault, triggerS3Fault } from "../../../emulator/subjects/faults/trigger-fault.ts";
import { admit } from "../../../emulator/subjects/object-storage/authorisation.ts";
import type { S3Operation } from "../../../emulator/subjects/object-storage/permissions.ts";
import { SEEDED_KEY } from "../../../emulator/subjects/object-storage/seed.ts";
import { type ExportWorld, openExportWorld } from "../../support/export-world.ts";

const ROW_ID = "00000001-0000-4000-8000-000000000001";

let world: ExportWorld;

beforeEach(() => {
  world = openExportWorld();
});

/** The id of the rule that a request for this bucket triggers. */
function triggeredBy(bucket: string): string | undefined {
  return world.turn(
    (turn) => trigger(turn, "s3", { op: "PutObject", bucket, key: "k", access_key_id: "a" })?.id,
  );
}

describe("counting", () => {
  it("triggers from the nth occasion on, up to `times` times", () => {
    const { id } = world.arm({
      target: "s3",
      match: { bucket: "b", nth: 3 },
      then: { reset: true },
      times: 2,
    });
    const said = ["b", "b", "other", "b", "b", "b"].map((bucket) => triggeredBy(bucket));
    expect(said).toEqual([undefined, undefined, undefined, id, id, undefined]);
    expect(world.fault(id)).toMatchObject({ seen: 4, hits: 2, state: "spent" });
  });

  it("the first armed rule hits; a later rule that is due too keeps its hit", () => {
    const [first, second] = ["first", "second"].map(
      () => world.arm({ target: "s3", then: { reset: true } }).id,
    );
    expect([triggeredBy("b"), triggeredBy("b"), triggeredBy("b")]).toEqual([first, second, undefined]);
  });

  it("a rule expires at the instant of its ttl", async () => {
    const { id } = world.arm({ target: "s3", then: { reset: true }, times: 9, ttl: "PT1H" });
    await world.advance("PT59M59S");
    expect(triggeredBy("b")).toBe(id);
    await world.advance("PT1S");
    expect(triggeredBy("b")).toBeUndefined();
    expect(world.fault(id)).toMatchObject({ seen: 1, hits: 1, state: "expired" });
  });

  it("a rule counts occasions of its own target only", () => {
    world.arm({ target: "http", then: { status: 500 } });
    expect(triggeredBy("b")).toBeUndefined();
  });

  it("counts each matching occasion for every rule, whichever rule triggers", () => {
    const armed = [
      { bucket: "a", nth: 2, times: 2 },
      { bucket: "*", nth: 3, times: 2 },
      { bucket: "b", nth: 1, times: 9, ttl: "PT3S" },
    ].map(({ bucket, nth, ...rule }) =>
      world.arm({ target: "s3", match: { bucket, nth }, then: { reset: true }, ...rule }),
    );
    const triggered = ["b@0", "a@0", "a@1", "b@1", "b@0", "a@0", "b@1"].map((occasion) => {
      const [bucket = "", seconds] = occasion.split("@");
      world.world.moveTo(world.world.now + Number(seconds) * 1000);
      const id = triggeredBy(bucket);
      return armed.findIndex((rule) => rule.id === id);
    });
    expect(triggered).toEqual([2, -1, 0, 1, 1, 0, -1]);
  });
});

describe("matching", () => {
  test.each([
    ["*", "", true],
    ["abc", "abc", true],
    ["abc", "abcd", false],
    ["a*", "abc", true],
    ["*c", "abc", true],
    ["a*c", "ac", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["a.c", "abc", false],
    ["*/day=01/*", "x/day=01/y", true],
  ])("%s and %s: %s", (pattern, text, matchesExpected) => {
    expect(matchesPattern(pattern, text)).toBe(matchesExpected);
  });

  it("takes linear time for any pattern", () => {
    expect(matchesPattern("*a".repeat(1000), `${"a".repeat(2000)}b`)).toBe(false);
  });

  it("needs every key of match, and any one value of a list", () => {
    const match = { op: ["GetObject", "Put*"], bucket: "b", key: "dir/*", access_key_id: "a" };
    world.arm({ target: "s3", match, then: { reset: true } });
    const context = { op: "PutObject", bucket: "b", key: "dir/k", access_key_id: "a" };
    const awaitedHits = (changed: object) =>
      mayTrigger(world.reader, world.world.now, "s3", { ...context, ...changed });
    expect(awaitedHits({})).toBe(true);
    for (const changed of [{ op: "HeadObject" }, { bucket: "c" }, { key: "k" }, { access_key_id: "b" }])
      expect(awaitedHits(changed)).toBe(false);
  });

  it("without match.at, covers S3 requests and points within a run, not export.running", () => {
    const at = "export.running";
    const awaitedHits = (target: "s3" | "worker", context: object) =>
      mayTrigger(world.reader, world.world.now, target, { ...context });
    world.arm({ target: "s3", match: { bucket: "b" }, then: { delete_bucket: true } });
    world.arm({ target: "worker", then: { crash: true } });
    expect(awaitedHits("s3", { at, bucket: "b" })).toBe(false);
    expect(awaitedHits("worker", { at })).toBe(false);
    expect(awaitedHits("worker", { at: "run.started" })).toBe(true);
    for (const target of ["s3", "worker"] as const) {
      world.arm({
        preset: target === "s3" ? "bucket_deleted" : "destination_deleted",
        match: { at: "*" },
      });
      expect(awaitedHits(target, { at, bucket: "b" })).toBe(true);
    }
  });
});

describe("the armed rules", () => {
  it("are listed in the order of arming, and removed one by one or all together", () => {
    const ids = ["http", "worker", "http"].map((target) =>
      world.arm({ target, then: target === "http" ? { status: 500 } : { crash: true } }),
    );
    const list = () => listFaults(world.reader, world.world.now).map(({ id }) => id);
    expect(list()).toEqual(ids.map(({ id }) => id));
    world.turn((turn) => removeFault(turn, (ids[1] as { id: string }).id.toUpperCase()));
    expect(list()).toHaveLength(2);
    expect(() => world.turn((turn) => removeFault(turn, "nobody"))).toThrow("No fault has the id nobody.");
    expect(world.turn(removeFaults)).toBe(2);
    expect([...world.reader.list(FAULTS)]).toEqual([]);
  });

  it("are as many as limits.faults at most", () => {
    world = openExportWorld({ limits: { faults: 3 } });
    for (let count = 0; count < 3; count += 1) world.arm({ target: "worker", then: { crash: true } });
    expect(() => world.turn((turn) => armFault(turn, { target: "worker", then: { crash: true } }))).toThrow(
      "3 faults",
    );
  });

  it("that were never triggered are listed, expired ones included", async () => {
    const triggered = world.arm({ target: "s3", then: { reset: true }, times: 5 });
    const waiting = world.arm({ target: "s3", match: { nth: 9 }, then: { reset: true } });
    const expired = world.arm({ target: "worker", then: { crash: true }, ttl: "PT1S" });
    triggeredBy("b");
    await world.advance("PT2S");
    expect(world.fault(triggered.id).hits).toBe(1);
    expect(untriggeredFaults(world.reader).map(({ id }) => id)).toEqual([waiting.id, expired.id]);
  });
});

describe("the s3 target", () => {
  function ask(op: S3Operation, bucket = "traces") {
    const claim = {
      op,
      bucket,
      key: "k",
      access_key_id: SEEDED_KEY.access_key_id,
      session_token: null,
      isSignedWith: () => true,
    };
    return world.turn((turn) => admit(turn, claim, triggerS3Fault));
  }

  const ADMITTED = { admitted: true, delayMs: 0 };

  test.each([
    [{ s3_error: "SlowDown" }, { error: "SlowDown" }],
    [{ reset: true }, { reset: true }],
    [{ delay: "PT2S" }, { admitted: true, delayMs: 2000 }],
    [{ delete_bucket: true }, { error: "NoSuchBucket", detail: { BucketName: "traces" } }],
    [{ delete_bucket: "traces" }, { error: "NoSuchBucket", detail: { BucketName: "traces" } }],
    [{ delete_bucket: "another" }, ADMITTED],
    [{ delete_credential: true }, { error: "InvalidAccessKeyId" }],
    [{ delete_credential: SEEDED_KEY.access_key_id }, { error: "InvalidAccessKeyId" }],
    [{ delete_credential: "another" }, ADMITTED],
  ])("%j", (then, said) => {
    const { id } = world.arm({ target: "s3", match: { op: "PutObject" }, then });
    expect(ask("GetObject")).toEqual(ADMITTED);
    expect(ask("PutObject")).toEqual(said);
    expect(world.fault(id).hits).toBe(1);
  });
});

describe("the webhook target", () => {
  const OCCASION = { url: "https://example.test/hook?token=secret#x", run_id: "r" };
  const send = () => world.turn((turn) => triggerFault(turn, "webhook", OCCASION));
  const NOTHING = { duplicates: 0, delayMs: 0, simulatedResult: null };

  test.each([
    [{ drop: true }, { droppedBy: expect.any(String) }],
    [
      { duplicate: 2, delay: "PT5M" },
      { duplicates: 2, delayMs: 300_000 },
    ],
    [{ refuse: true }, { simulatedResult: "refused" }],
    [
      { status: 500, delay: "PT1S" },
      { simulatedResult: { status: 500 }, delayMs: 1000 },
    ],
  ])("%j", (then, said) => {
    const { id } = world.arm({
      target: "webhook",
      match: { url: "https://example.test/*", run_id: "R" },
      then,
    });
    expect(world.fault(id).hits).toBe(0);
    expect(send()).toEqual({ ...NOTHING, ...said });
    expect(send()).toBeUndefined();
  });

  it("the journal shows the URL without its query (§5-4)", () => {
    world.arm({ target: "webhook", then: { drop: true } });
    send();
    expect(world.notes("fault.triggered")).toMatchObject([
      { detail: { occasion: { url: "https://example.test/hook", run_id: "r" } } },
    ]);
  });
});

describe("a rule of another version, for which this one has no line", () => {
  /** The stored world, with another action in its rule. */
  function storeRows(target: FaultTarget, then: object, match: object = {}): ExportWorld {
    world.arm({ target, match, then });
    const state = JSON.stringify(world.world.state());
    const changed = state.replace(JSON.stringify(then), '{"explode":true}');
    expect(changed).not.toBe(state);
    return openExportWorld({ state: JSON.parse(changed) });
  }

  const unknownOn = (target: FaultTarget) =>
    `This version cannot apply {"explode":true} to the target ${target}.`;

  /** Creates an export and advances to its first second, in which its runs begin. */
  async function begin(opened: ExportWorld): Promise<string> {
    opened.ingest(ROW_ID, "2026-01-01T00:00:00.000000Z", "row");
    const { id } = opened.create({
      bulk_export_destination_id: opened.addDestination(),
      start_time: "2026-01-01T00:00:00Z",
      end_time: "2026-01-02T00:00:00Z",
    });
    await expect(opened.advance("PT1S")).rejects.toThrow("This version cannot apply");
    return id;
  }

  it("ends the world at the point of a run: the run has not failed, and no thread has ended", async () => {
    const opened = storeRows("worker", { crash: true });
    const id = await begin(opened);
    expect(opened.runs(id)).toMatchObject([{ status: "RUNNING", attempt: 0, errors: {} }]);
    expect([opened.threadsEnded, opened.world.defect?.message]).toEqual([
      0,
      expect.stringContaining(unknownOn("worker")),
    ]);
  });

  it("ends the world at a request: nothing waits for an invalid time", () => {
    const opened = storeRows("http", { delay: "PT1S" });
    const occasion = { id: "createBulkExport", path: "/x", region: "us" } as const;
    expect(() => opened.turn((turn) => triggerFault(turn, "http", occasion))).toThrow(unknownOn("http"));
    expect(opened.world.queue()).toEqual([]);
  });

  it("ends the world at a request to the object store, and at a point of an export", async () => {
    const atRequest = storeRows("s3", { reset: true });
    const occasion = { op: "PutObject", bucket: "traces", key: "k", access_key_id: "a" };
    expect(() => atRequest.turn((turn) => triggerFault(turn, "s3", occasion))).toThrow(unknownOn("s3"));
    world = openExportWorld();
    const atPoint = storeRows("s3", { delete_bucket: true }, { at: "run.started" });
    await begin(atPoint);
    expect(atPoint.world.defect?.message).toContain(unknownOn("s3"));
  });

  it("ends the world at a delivery, which is not sent", () => {
    const opened = storeRows("webhook", { drop: true });
    const occasion = { url: "https://example.test/hook", run_id: "r" };
    expect(() => opened.turn((turn) => triggerFault(turn, "webhook", occasion))).toThrow(
      unknownOn("webhook"),
    );
  });
});

describe("what a target does", () => {
  it("does not compile with a member of `then` that has no line", () => {
    const handled = (then: HappeningOf<"worker">): string => {
      if ("crash" in then || "stall" in then || "delete_destination" in then) return "handled";
      // @ts-expect-error `error` is left
      return unhandled("worker", then);
    };
    expect(handled({ crash: true })).toBe("handled");
    expect(() => handled({ error: "resource_exhausted" })).toThrow("cannot apply");
  });

  it("is one action, with its options", () => {
    const alone: HappeningOf<"webhook"> = { duplicate: 2, delay: "PT1S" };
    // @ts-expect-error two things
    const two: HappeningOf<"worker"> = { crash: true, stall: "PT1S" } satisfies { crash: true };
    // @ts-expect-error headers alone answer nothing
    const headers: HappeningOf<"http"> = { headers: {} };
    expect([alone, two, headers]).toHaveLength(3);
  });
});
