import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { AdvanceResult } from "../../emulator/runtime/index.ts";
import { BEGIN, DESTINATION, type ExportReply, type ExportRig, startExportRig } from "../support/emulator.ts";

interface Moved extends AdvanceResult {
  readonly dry_run?: boolean;
  readonly assumed?: readonly string[];
  readonly in_flight?: readonly { readonly kind: string; readonly ref: string }[];
}

/** How far the clock moves in one call. */
const DAYS = 21;

let rig: ExportRig;

async function begin(options: Record<string, unknown> = {}): Promise<void> {
  rig = await startExportRig(options);
}

afterEach(() => rig.close());

async function advance(body: unknown, query = "") {
  const path = `/_emulator/v1/clock/advance${query}`;
  const reply = await rig.call<Moved & { error: { code: string; message: string } }>("POST", path, body);
  return { status: reply.status, ...reply.body };
}

const now = () => rig.emulator.clock.now();
const timeOf = ({ at }: { at: string }) => at.slice(11, 19);

describe("advance", () => {
  it("steps by a duration and names every fired event with its instant and cause", async () => {
    await begin();
    const id = await rig.createExportId({ end_time: "2026-02-26T00:00:00Z" });
    const moved = await advance({ by: "PT1M" });
    expect(moved).toMatchObject({
      from: "2026-03-01T00:00:00.000000Z",
      to: "2026-03-01T00:01:00.000000Z",
      settled: true,
    });
    const [run] = await rig.runsOf(id);
    expect(moved.fired.map((event) => `${timeOf(event)} ${event.kind} of ${event.cause}`)).toEqual([
      "00:00:01 export.due of createBulkExport",
      "00:00:01 export_run.start of export.due",
      "00:00:02 export_run.step of export.write_file",
    ]);
    expect(moved.fired.map(({ ref }) => ref)).toEqual([id, run?.id, run?.id]);
    expect(moved.fired_total).toBe(3);
  });

  it("moves to an instant, and runs events that are due exactly then", async () => {
    await begin();
    const id = await rig.createExportId({ interval_hours: 1, start_time: BEGIN });
    await advance({ to: "2026-03-01T02:09:59.999+01:00" });
    expect(await rig.statusOf(id)).toBe("CREATED");
    expect((await advance({ to: "2026-03-01T02:10:00+01:00" })).fired[0]).toMatchObject({
      kind: "export.spawn",
      ref: id,
    });
    expect(now()).toBe("2026-03-01T01:10:00.000000Z");
  });

  it("next fires so many events, and stays at the instant of the last one", async () => {
    await begin();
    await rig.createExportId({ interval_hours: 1, start_time: BEGIN });
    await advance({ next: 1 });
    expect(now()).toBe("2026-03-01T01:10:00.000000Z");
    const id = await rig.createExportId({ interval_hours: 1, start_time: "2027-01-01T00:00:00Z" });
    await rig.cancel(id);
    const { body: all } = await rig.call<ExportReply[]>("GET", "/api/v1/bulk-exports");
    for (const one of all)
      if (one.interval_hours !== null && one.status === "RUNNING") await rig.cancel(one.id);
    await advance({ next: 1000 });
    const after = now();
    expect(await advance({ next: 1 })).toMatchObject({ fired_total: 0, from: after, to: after });
  });

  it("until stops when an export has the status, or can no longer reach it", async () => {
    await begin();
    const id = await rig.createExportId();
    expect(await advance({ until: { export: id.toUpperCase(), status: "running" } })).toMatchObject({
      reached: true,
      why: `export ${id} is RUNNING`,
      to: "2026-03-01T00:00:01.000000Z",
    });
    expect(await advance({ until: { export: id, status: "FAILED" } })).toMatchObject({
      reached: false,
      why: expect.stringContaining(`it has ended: export ${id} is COMPLETED; `),
      to: "2026-03-01T00:00:02.000000Z",
    });
  });

  it("until looks thirty days ahead, or up to the given limit", async () => {
    await begin();
    const id = await rig.createExportId({ interval_hours: 1, start_time: BEGIN });
    const until = { export: id, status: "CANCELLED" };
    expect(await advance({ until, within: "PT2H" })).toMatchObject({
      reached: false,
      to: "2026-03-01T02:00:00.000000Z",
    });
    expect(await advance({ until })).toMatchObject({
      reached: false,
      why: `no event within the time limit changes that: export ${id} is RUNNING; next is export.spawn at 2026-03-31T02:10:00.000000Z; repeat the request to continue, or give a longer \`within\``,
      to: "2026-03-31T02:00:00.000000Z",
    });
  });

  it("until refuses at once to wait for what a schedule never is", async () => {
    await begin();
    const id = await rig.createExportId({ interval_hours: 6, start_time: BEGIN });
    for (const status of ["COMPLETED", "failed", "TIMEDOUT"])
      expect(await advance({ until: { export: id, status } })).toMatchObject({
        status: 422,
        error: {
          code: "schedule_has_no_end",
          message: `Export ${id} is a schedule with interval_hours 6. A schedule never becomes ${status.toUpperCase()} (§3.3).`,
        },
      });
    expect(now()).toBe("2026-03-01T00:00:00.000000Z");
    expect(await advance({ until: { export: id, status: "RUNNING" } })).toMatchObject({ reached: true });
  });

  it("until reports the completed days of a failed export", async () => {
    await begin();
    await rig.arm({ preset: "bucket_deleted" });
    const id = await rig.createExportId();
    const { reached, why } = await advance({ until: { export: id, status: "COMPLETED" } });
    expect(reached).toBe(false);
    expect(why).toMatch(/is FAILED; .*; \d of \d+ days ha(s|ve) ended, 0 of them COMPLETED, with 0 rows$/);
  });

  it("until reports the progress of an export that takes longer", async () => {
    await begin();
    await rig.arm({ target: "worker", match: { run: "*" }, then: { stall: "PT3H" } });
    const id = await rig.createExportId();
    const until = { export: id, status: "COMPLETED" };
    expect((await advance({ until, within: "PT1H" })).why).toMatch(
      /is RUNNING; \d of \d+ days ha(s|ve) ended, with \d+ rows; the run of 2026-\d\d-\d\d is in progress; next is .* at .*; repeat the request/,
    );
    expect(await advance({ until })).toMatchObject({ reached: true });
  });

  it.each([
    ["back in time", { to: "2026-02-28T23:59:59Z" }],
    ["to no time", { to: "tomorrow" }],
    ["to a time without a zone", { to: "2026-03-02T00:00:00" }],
    ["by no duration", { by: "6 hours" }],
    ["by months", { by: "P1M" }],
    ["by and to", { by: "PT1H", to: "2026-03-02T00:00:00Z" }],
    ["nowhere", {}],
    ["by something else", { for: "PT1H" }],
    ["by no events", { next: 0 }],
    ["within something that has no end", { by: "PT1H", within: "PT2H" }],
    ["until a status that there is not", { until: { export: "x", status: "DONE" } }],
  ])("does not go %s", async (_what, body) => {
    await begin();
    expect((await advance(body)).status).toBe(422);
    expect(now()).toBe("2026-03-01T00:00:00.000000Z");
  });

  it("until answers 404 for an unknown export", async () => {
    await begin();
    expect((await advance({ until: { export: "x", status: "COMPLETED" } })).status).toBe(404);
  });

  it("is refused after limits.events_per_advance events, and reports the present time", async () => {
    await begin({ limits: { events_per_advance: 20 } });
    await rig.createExportId({ interval_hours: 1, start_time: BEGIN });
    const { status, error } = await advance({ by: "P30D" });
    expect({ status, code: error.code }).toEqual({ status: 422, code: "too_many_events" });
    expect(error.message).toContain(now());
    expect((await advance({ by: "PT1H" })).status).toBe(200);
  });

  it("moves many days of hourly schedules in one call", async () => {
    await begin();
    const id = await rig.createExportId({ interval_hours: 1, start_time: BEGIN });
    const moved = await advance({ by: `P${DAYS}DT10M` });
    expect(moved.fired).toHaveLength(1000);
    expect(moved.fired_total).toBeGreaterThanOrEqual(DAYS * 24 * 2);
    const path = `/api/v1/bulk-exports/runs?source_bulk_export_id=${id}`;
    const runs = (await rig.call<{ status: string }[]>("GET", path)).body;
    expect(runs.filter(({ status }) => status === "COMPLETED").length).toBeGreaterThanOrEqual(DAYS * 24);
  });

  it("answers requests while it moves far, and can be stopped", async () => {
    await begin({ limits: { events_per_advance: 10_000_000 } });
    await rig.createExportId({ interval_hours: 1, start_time: BEGIN });
    let isOver = false;
    const moving = advance({ by: "P36500D" }).finally(() => {
      isOver = true;
    });
    for (let request = 0; request < 4; request += 1) expect((await rig.call("GET", "/ok")).status).toBe(200);
    expect(isOver).toBe(false);
    expect(await rig.emulator.control("DELETE", "/clock/advance")).toMatchObject({ stopped: true });
    expect((await moving).status).toBe(409);
  });
});

describe("what hangs", () => {
  let silent: Server;

  afterEach(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it("is named under in_flight by the advance that waits; a second advance meanwhile is refused with 409", async () => {
    await begin({ timings: { effect_patience: "PT0.3S", object_store_timeout: "PT5S" } });
    let onRequest = () => {};
    const isAsked = new Promise<void>((resolve) => {
      onRequest = resolve;
    });
    silent = createServer(() => onRequest());
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const endpoint_url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const pending = rig
      .call("POST", "/api/v1/bulk-exports/destinations", {
        ...DESTINATION,
        config: { ...DESTINATION.config, endpoint_url },
      })
      .catch(() => undefined);
    await isAsked;
    const first = advance({ by: "PT1H" });
    const second = await advance({ by: "PT1H" });
    expect({ status: second.status, code: second.error?.code }).toEqual({
      status: 409,
      code: "advance_under_way",
    });
    expect(await first).toMatchObject({
      status: 200,
      settled: false,
      in_flight: [{ kind: "destination.validate" }],
      to: "2026-03-01T00:00:00.000000Z",
    });
    silent.closeAllConnections();
    await pending;
    expect(await advance({ by: "PT1H" })).toMatchObject({ settled: true, to: "2026-03-01T01:00:00.000000Z" });
  });
});

describe("a dry run", () => {
  const journalOf = () => fetch(`${rig.emulator.url}/_emulator/v1/journal`).then((reply) => reply.text());
  const status = () => rig.emulator.control<{ traces: unknown }>("GET", "/status");
  const filesOf = () => rig.emulator.control<{ objects: number }[]>("GET", "/s3/buckets");

  it("answers with the events that the advance then fires, and changes nothing", async () => {
    await begin();
    const id = await rig.createExportId({ end_time: "2026-02-26T00:00:00Z" });
    await rig.createExportId({ interval_hours: 6, start_time: BEGIN });
    const before = [await journalOf(), await status(), await filesOf()];
    const dryRun = await advance({ by: "P1D" }, "?dry_run=1");
    expect(dryRun).toMatchObject({
      status: 200,
      dry_run: true,
      settled: true,
      to: "2026-03-02T00:00:00.000000Z",
    });
    expect(dryRun.assumed).toEqual([expect.stringMatching(/one file.*neither read nor counted/)]);
    expect([await journalOf(), await status(), await filesOf()]).toEqual(before);
    expect(await rig.statusOf(id)).toBe("CREATED");
    const moved = await advance({ by: "P1D" });
    expect(dryRun.fired).toEqual(moved.fired);
    expect(dryRun.fired_total).toBe(moved.fired_total);
    expect(moved).not.toHaveProperty("dry_run");
    expect(await rig.verify(id)).toMatchObject({ ok: true });
  });

  it("reports whether a status would be reached, faults included, and keeps them armed", async () => {
    await begin();
    const id = await rig.createExportId();
    const fault = await rig.arm({ preset: "workflow_timeout" });
    const until = { export: id, status: "TIMEDOUT" };
    expect(await advance({ until }, "?dry_run=1")).toMatchObject({
      reached: true,
      to: "2026-03-04T00:00:01.000000Z",
    });
    expect(await rig.emulator.control("GET", `/faults/${fault.id}`)).toMatchObject({
      hits: 0,
      state: "armed",
    });
    expect(now()).toBe("2026-03-01T00:00:00.000000Z");
    expect(await rig.statusOf(id)).toBe("CREATED");
    expect(await advance({ until })).toMatchObject({ reached: true });
  });

  it("has the same limits and refusals as an advance", async () => {
    await begin({ limits: { events_per_advance: 20 } });
    await rig.createExportId({ interval_hours: 1, start_time: BEGIN });
    expect((await advance({ by: "P30D" }, "?dry_run=1")).error.code).toBe("too_many_events");
    expect((await advance({ to: "2026-02-01T00:00:00Z" }, "?dry_run=1")).error.code).toBe("backwards");
    expect((await advance({ by: "PT1H" }, "?dry_run=2")).status).toBe(422);
    expect(now()).toBe("2026-03-01T00:00:00.000000Z");
  });
});

describe("explain", () => {
  interface Explained {
    readonly included: boolean | null;
    readonly why: string;
    readonly file: string | null;
    readonly late: boolean | null;
    readonly window: { readonly matches: boolean } | null;
    readonly project: { readonly matches: boolean } | null;
    readonly filter: { readonly matches: boolean; readonly clause?: string } | null;
    readonly partition: { readonly run_id: string; readonly status: string } | null;
  }

  const row = (nth: number) => `cccccccc-0000-4000-8000-00000000000${nth}`;
  const explain = (exportId: string, nth: number) =>
    rig.emulator.control<Explained>("GET", `/exports/${exportId}/explain?run=${row(nth)}`);

  async function send(nth: number, change: Record<string, unknown> = {}): Promise<void> {
    const post = {
      id: row(nth),
      name: "row",
      run_type: "chain",
      session_id: rig.prepared.projectId,
      start_time: `2026-01-10T0${nth}:00:00Z`,
    };
    expect((await rig.call("POST", "/runs", { ...post, ...change })).status).toBe(202);
  }

  const window = { start_time: "2026-01-10T00:00:00Z", end_time: "2026-01-12T00:00:00Z" };

  it("names the file that holds a row", async () => {
    await begin({ limits: { rows_per_file: 2 } });
    for (const nth of [1, 2, 3, 4, 5]) await send(nth);
    const id = await rig.createExportId(window);
    expect(await explain(id, 3)).toMatchObject({
      included: null,
      why: "The export run for this part of the window has not started yet.",
    });
    await advance({ by: "PT2S" });
    expect(await explain(id, 5)).toMatchObject({
      included: null,
      why: expect.stringMatching(/has not reached it/),
      file: null,
    });
    await rig.complete(id);
    const results = await Promise.all([1, 2, 3, 4, 5].map((nth) => explain(id, nth)));
    expect(results.map(({ file }) => file?.slice(-13))).toEqual([
      "00000.parquet",
      "00000.parquet",
      "00001.parquet",
      "00001.parquet",
      "00002.parquet",
    ]);
    for (const one of results)
      expect(one).toMatchObject({ included: true, late: false, partition: { status: "COMPLETED" } });
  });

  it("names the project, the window, the clause of the filter, or the late arrival that keeps it out", async () => {
    await begin();
    for (const nth of [1, 3]) await send(nth);
    await send(2, { start_time: "2026-01-12T00:00:00Z" });
    await send(4, { session_id: "99999999-0000-4000-8000-00000000000a" });
    await send(5, { name: "other" });
    const id = await rig.createExportId({ ...window, filter: 'and(eq(name, "row"), eq(run_type, "chain"))' });
    await rig.complete(id);
    await send(6);
    await send(3, { name: "changed" });
    expect(await explain(id, 1)).toMatchObject({ included: true });
    expect(await explain(id, 2)).toMatchObject({
      included: false,
      why: expect.stringMatching(/window/),
      window: { matches: false },
    });
    expect(await explain(id, 4)).toMatchObject({
      included: false,
      why: expect.stringMatching(/project/),
      project: { matches: false },
    });
    expect(await explain(id, 5)).toMatchObject({
      included: false,
      why: expect.stringContaining('eq(name, "row")'),
      filter: { matches: false, clause: 'eq(name, "row")' },
    });
    expect(await explain(id, 6)).toMatchObject({
      included: false,
      late: true,
      partition: { status: "COMPLETED" },
    });
    // What it was when the run read it is in the file, whatever it has become since.
    expect(await explain(id, 3)).toMatchObject({ included: true, late: false, filter: { matches: true } });
    expect(await explain(id, 7)).toMatchObject({
      included: false,
      why: "This row does not exist in the workspace of the export.",
    });
  });

  it("names rows that an ended export did not reach", async () => {
    await begin({ limits: { rows_per_file: 1 } });
    for (const nth of [1, 2, 3]) await send(nth);
    const id = await rig.createExportId(window);
    await advance({ by: "PT1S" });
    await rig.cancel(id);
    expect(await explain(id, 1)).toMatchObject({ included: true });
    expect(await explain(id, 3)).toMatchObject({
      included: false,
      why: expect.stringContaining("CANCELLED"),
    });
  });

  it("refuses an unknown export or row", async () => {
    await begin();
    const send = (path: string) =>
      rig.call("GET", `/_emulator/v1/exports/${path}`).then(({ status }) => status);
    expect(await send(`${row(1)}/explain?run=${row(1)}`)).toBe(404);
    const id = await rig.createExportId();
    expect(await send(`${id}/explain`)).toBe(422);
    expect(await send(`${id}/explain?run=x`)).toBe(422);
  });
});

describe("a flowing clock", () => {
  it("advances by itself, and can still be moved", async () => {
    await begin({ clock: "flowing" });
    await rig.emulator.clock.flow(60);
    const id = await rig.createExportId();
    expect(await rig.complete(id)).toMatchObject({ reached: true });
    expect(await rig.verify(id)).toMatchObject({ ok: true });
    expect((await advance({ by: "PT0S" })).status).toBe(200);
    await rig.emulator.clock.freeze();
    const frozen = now();
    expect((await advance({ by: "PT1H" })).from).toBe(frozen);
  });
});
