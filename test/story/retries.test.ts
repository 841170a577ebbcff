import { afterEach, describe, expect, it } from "vitest";
import { type ExportRig, startExportRig } from "../support/emulator.ts";

const ONE_DAY = { start_time: "2026-02-25T00:00:00Z", end_time: "2026-02-26T00:00:00Z" };

let rig: ExportRig;

async function begin(options: Record<string, unknown> = {}): Promise<void> {
  rig = await startExportRig({ ...options, limits: { rows_per_file: 5, ...(options.limits as object) } });
}

afterEach(() => rig.close());

async function attemptsAt(): Promise<readonly number[]> {
  const text = await fetch(`${rig.emulator.url}/_emulator/v1/journal`).then((reply) => reply.text());
  const entries = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const starts = entries.filter(({ cause }) => cause.name === "export_run.start");
  return starts.map(({ now }) => (Date.parse(now) - Date.parse(starts[0].now)) / 1000);
}

describe("failures (§7.3)", () => {
  const retried = [
    [
      "a cut connection",
      { target: "s3", match: { op: "PutObject" }, then: { reset: true } },
      /^Infrastructure interruption/,
    ],
    [
      "a store that waits too long for the file",
      { target: "s3", match: { op: "PutObject" }, then: { s3_error: "RequestTimeout" } },
      /^Infrastructure interruption: RequestTimeout: /,
    ],
    ["a serialization error", { preset: "serialization_error" }, /^Serialization error/],
    [
      "exhausted resources",
      { target: "worker", match: { at: "rows.read" }, then: { error: "resource_exhausted" } },
      /^Resources exhausted/,
    ],
  ] as const;

  it.each(retried)("%s is tried again", async (_what, rule, message) => {
    await begin();
    await rig.arm(rule);
    const id = await rig.createExportId(ONE_DAY);
    await rig.complete(id);
    const [run] = await rig.runsOf(id);
    expect(run).toMatchObject({ status: "COMPLETED", errors: { retry_0: expect.stringMatching(message) } });
    expect(await rig.verify(id)).toMatchObject({ ok: true });
  });

  const final = [
    [
      "a deleted bucket",
      { preset: "bucket_deleted" },
      /^Storage or destination error: Bucket is not valid \(NoSuchBucket: /,
    ],
    [
      "a revoked key",
      { preset: "credentials_revoked" },
      /^Storage or destination error: Key ID you provided does not exist \(InvalidAccessKeyId: /,
    ],
    [
      "a file that is too large",
      { target: "s3", match: { op: "PutObject" }, then: { s3_error: "EntityTooLarge" } },
      /^Storage or destination error: EntityTooLarge: /,
    ],
    ["a deleted destination", { preset: "destination_deleted" }, /^Destination deleted during the export/],
  ] as const;

  it("an outage of the store ends the run where the assumption says so; the table of the configuration shows it", async () => {
    const table = async () =>
      (await rig.emulator.control<{ store_errors: Record<string, object> }>("GET", "/config")).store_errors;
    await begin();
    expect(await table()).toMatchObject({
      SlowDown: {
        status: 503,
        class: "interruption",
        in_errors: "its own code",
        at_validation: "its own code",
      },
      NoSuchBucket: { class: "ends the run", in_errors: "Bucket is not valid" },
      ConnectionFailed: { status: null, class: "interruption", at_validation: "Invalid endpoint" },
      "any other 3xx or 4xx": { class: "ends the run", in_errors: "its own code" },
    });
    await rig.close();
    await begin({ assumptions: { "export.store_outage": "storage error" } });
    expect(await table()).toMatchObject({ SlowDown: { class: "ends the run" } });
    await rig.arm({ target: "s3", match: { op: "PutObject" }, then: { s3_error: "SlowDown" } });
    const id = await rig.createExportId(ONE_DAY);
    await rig.complete(id);
    const [run] = await rig.runsOf(id);
    expect(run?.errors).toEqual({
      retry_0: expect.stringMatching(/^Storage or destination error: SlowDown: /),
    });
  });

  it.each(final)("%s fails the export at once", async (_what, rule, message) => {
    await begin();
    await rig.arm(rule);
    const id = await rig.createExportId(ONE_DAY);
    const moved = await rig.complete(id);
    expect(moved).toMatchObject({
      reached: false,
      why: expect.stringMatching(`^it has ended: export ${id} is FAILED; the run of .*, retry_\\d+: `),
    });
    const [run] = await rig.runsOf(id);
    expect(run).toMatchObject({ status: "FAILED", errors: { retry_0: expect.stringMatching(message) } });
    await rig.advance("PT1H");
    expect(await attemptsAt()).toEqual([0]);
  });

  it("new credentials are used from the next file on", async () => {
    await begin();
    await rig.emulator.control("POST", "/s3/credentials", {
      access_key_id: "second",
      secret_access_key: "second-secret",
    });
    const id = await rig.createExportId(ONE_DAY);
    await rig.advance("PT2S");
    const path = `/api/v1/bulk-exports/destinations/${rig.prepared.destinationId}`;
    const credentials = { access_key_id: "second", secret_access_key: "second-secret" };
    expect((await rig.call("PATCH", path, { credentials })).status).toBe(200);
    await rig.emulator.control("DELETE", "/s3/credentials/emulator");
    await rig.complete(id);
    expect(await rig.runsOf(id)).toMatchObject([{ status: "COMPLETED", errors: {} }]);
    expect(await rig.verify(id)).toMatchObject({ ok: true });
  });
});

describe("settings", () => {
  it("max_retries and retry_delay set the number and the delay of retries", async () => {
    await begin({ limits: { max_retries: 2, retry_delay: "PT5M" } });
    await rig.arm({ preset: "serialization_error", times: 1000 });
    const id = await rig.createExportId(ONE_DAY);
    await rig.advance("PT1H");
    expect(await attemptsAt()).toEqual([0, 300, 600]);
    expect(await rig.statusOf(id)).toBe("FAILED");
  });
});
