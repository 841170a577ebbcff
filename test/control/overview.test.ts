import { describe, expect, it } from "vitest";
import type { AdvanceResult } from "../../emulator/client/views.ts";
import type { RunDetail, RunOverview, ThreadOverview } from "../../emulator/subjects/agent/overview.ts";
import type { ExportDetail, ExportOverview } from "../../emulator/subjects/bulk-exports/overview.ts";
import type { ObjectList } from "../../emulator/subjects/object-storage/contents.ts";
import type { ParquetPage } from "../../emulator/subjects/object-storage/parquet-page.ts";
import { DESTINATION, startExportRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () => startExportRig());

const control = <T>(path: string) => rig.emulator.control<unknown>("GET", path) as Promise<T>;

describe("exports, as the control API shows them", () => {
  it("show their next event before, during and after they run", async () => {
    await rig.arm({ preset: "worker_crash" });
    const id = await rig.createExportId();
    const detail = () => control<ExportDetail>(`/exports/${id}`);
    const bulkExport = await detail();
    expect(bulkExport).toMatchObject({ status: "CREATED", project: "shop", runs: [], queue_position: null });
    expect(bulkExport.due.map(({ kind }) => kind)).toEqual(["export.due"]);
    await rig.advance("PT2S");
    const running = await detail();
    const crashed = running.runs.find(({ attempt }) => attempt === 1);
    expect(running.status).toBe("RUNNING");
    expect(crashed).toMatchObject({ status: "RUNNING", files: [], due: [{ kind: "export_run.start" }] });
    expect(Object.keys(crashed?.errors ?? {})).toEqual(["retry_0"]);
    await rig.complete(id);
    const done = await detail();
    expect(done).toMatchObject({ status: "COMPLETED", due: [], deadline: null });
    const rows = done.runs.map((run) => run.files.reduce((sum, file) => sum + file.rows, 0));
    const [list] = await control<readonly ExportOverview[]>("/exports?limit=1");
    expect(list?.runs.map((run) => run.rows)).toEqual(rows);
    expect(rows.every((count) => count > 0)).toBe(true);
  });

  it("list the files that they left in the bucket without success, and the advance reports how they ended", async () => {
    const failing = await rig.createExportId();
    await rig.arm({
      target: "worker",
      match: { export_id: failing, at: "file.written" },
      then: { crash: true },
      times: 100,
    });
    const id = await rig.createExportId();
    const { ended } = await rig.emulator.control<AdvanceResult>("POST", "/clock/advance", { by: "PT3H" });
    expect(ended).toEqual([
      { kind: "export", status: "COMPLETED", count: 1, refs: [id] },
      { kind: "export", status: "FAILED", count: 1, refs: [failing] },
    ]);
    const { objects } = await control<ObjectList>("/s3/buckets/traces/objects");
    const left = objects.filter(({ key }) => key.includes(failing));
    const { status, files_left } = await control<ExportDetail>(`/exports/${failing}`);
    expect(status).toBe("FAILED");
    expect(files_left).toEqual(left.map(({ key, size }) => ({ key, bytes: size })));
    expect(files_left.length).toBeGreaterThan(0);
    expect((await control<ExportDetail>(`/exports/${id}`)).files_left).toEqual([]);
    expect((await rig.emulator.control<AdvanceResult>("POST", "/clock/advance", { next: 1 })).ended).toEqual(
      [],
    );
  });

  it("of no such id are 404 with the next step", async () => {
    const reply = await rig.call("GET", "/_emulator/v1/exports/00000000-0000-4000-8000-00000000dead");
    expect([reply.status, reply.body]).toEqual([
      404,
      { error: expect.objectContaining({ code: "not_found" }) },
    ]);
  });
});

describe("objects", () => {
  it("are listed by folder, and as Parquet files show schema, codec, statistics and rows", async () => {
    const id = await rig.createExportId({ compression: "zstandard" });
    await rig.complete(id);
    const { prefixes } = await control<ObjectList>("/s3/buckets/traces/objects?delimiter=/");
    expect(prefixes).toContain("exports/");
    const run = (await control<ExportDetail>(`/exports/${id}`)).runs[0];
    const file = run?.files[0];
    const key = encodeURIComponent(file?.key ?? "");
    const page = await control<ParquetPage>(`/s3/buckets/traces/parquet?key=${key}&offset=1&limit=3`);
    expect(page).toMatchObject({ rows_total: file?.rows, offset: 1 });
    expect(page.rows).toHaveLength(3);
    expect(page.columns.map(({ name }) => name)).toEqual(Object.keys(page.rows[0] ?? {}));
    const chunk = page.row_groups[0]?.columns.find(({ name }) => name === "start_time");
    expect(chunk).toMatchObject({ codec: "ZSTD", nulls: 0 });
    expect(String(chunk?.min)).toContain(run?.start_time.slice(0, 10));
    const whole = await control<ParquetPage>(`/s3/buckets/traces/parquet?key=${key}&limit=500`);
    expect(whole.rows.slice(1, 4)).toEqual(page.rows);
  });

  it("sort and search all rows of a Parquet file", async () => {
    const id = await rig.createExportId();
    await rig.complete(id);
    const file = (await control<ExportDetail>(`/exports/${id}`)).runs[0]?.files[0];
    const path = `/s3/buckets/traces/parquet?key=${encodeURIComponent(file?.key ?? "")}`;
    const whole = await control<ParquetPage>(`${path}&limit=500`);
    expect(whole).toMatchObject({ rows_matching: file?.rows, rows_read: file?.rows });
    const column = (page: ParquetPage, name: string) => page.rows.map((row) => row[name]);
    const times = column(whole, "start_time").sort().reverse();
    const last = await control<ParquetPage>(`${path}&sort=start_time&order=desc&offset=1&limit=2`);
    expect(column(last, "start_time")).toEqual(times.slice(1, 3));
    const tokens = await control<ParquetPage>(`${path}&sort=total_tokens&limit=500`);
    const present = column(whole, "total_tokens").filter((value) => value !== null);
    expect(column(tokens, "total_tokens").slice(0, present.length)).toEqual(
      present.sort((a, b) => Number(a) - Number(b)),
    );
    const models = whole.rows.filter(({ run_type }) => run_type === "llm");
    const match = await control<ParquetPage>(`${path}&text=LLM&sort=id&limit=1`);
    expect(match.rows_matching).toBeGreaterThanOrEqual(models.length);
    expect(match.rows_matching).toBeLessThan(whole.rows.length);
    expect(match.rows).toHaveLength(1);
    const wrong = await rig.call("GET", `/_emulator/v1${path}&sort=start_tim`);
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
      422,
      expect.stringMatching(/does not have the column.*start_tim.*Did you mean start_time\?/),
    ]);
  });

  it("that are not Parquet files are refused, and bodies are only attachments", async () => {
    await rig.emulator.control("POST", "/s3/credentials", {
      access_key_id: "writer",
      secret_access_key: "writer-secret",
    });
    const id = await rig.createExportId({ end_time: "2026-02-26T00:00:00Z" });
    await rig.complete(id);
    const { objects } = await control<ObjectList>(
      `/s3/buckets/traces/objects?prefix=exports/export_id=${id}`,
    );
    const key = encodeURIComponent(objects[0]?.key ?? "");
    const reply = await fetch(`${rig.emulator.url}/_emulator/v1/s3/buckets/traces/object?key=${key}`);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    await reply.arrayBuffer();
    const missing = await rig.call("GET", "/_emulator/v1/s3/buckets/traces/parquet?key=nothing.parquet");
    expect(missing.status).toBe(404);
  });
});

describe("filters", () => {
  it.each([
    ['eq(run_type, "llm")', { ok: true, problem: null }],
    ["eq(run_typ, 1)", { ok: false, problem: { position: 3, hint: "Did you mean run_type?" } }],
  ])("%s is checked without an export", async (filter, outcome) => {
    expect(await rig.emulator.control("POST", "/filters/check", { filter })).toMatchObject(outcome);
  });
});

describe("threads, runs and crons of all workspaces", () => {
  it("are listed, and a run has the events of its stream with their instants; secrets are masked", async () => {
    const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
    const path = `/threads/${thread.thread_id}`;
    const { body: run } = await rig.call<{ run_id: string }>("POST", `${path}/runs`, {
      assistant_id: "agent",
      input: { messages: [{ role: "user", content: "hello" }] },
      config: { configurable: { api_key: "very-secret-key" } },
      webhook: "/_emulator/inbox/a?token=very-secret-token",
    });
    await rig.call("POST", `${path}/runs/crons`, { assistant_id: "agent", schedule: "0 * * * *" });
    await rig.advance("PT5S");
    const [list] = await control<readonly ThreadOverview[]>("/agent/threads?limit=1");
    expect(list).toMatchObject({ thread_id: thread.thread_id, runs: 1, status: "idle" });
    const [one] = await control<readonly RunOverview[]>(`/agent/runs?thread=${thread.thread_id}`);
    expect(one).toMatchObject({ run_id: run.run_id, status: "success", has_webhook: true });
    const detail = await control<RunDetail>(`/agent/runs/${run.run_id}`);
    const times = (detail.stream ?? []).map(({ at }) => at);
    expect(times.length).toBeGreaterThan(0);
    expect(times).toEqual([...times].sort());
    expect(JSON.stringify(detail)).not.toContain("very-secret");
    expect(await control("/agent/crons")).toMatchObject([{ schedule: "0 * * * *", enabled: true }]);
    expect(await control("/webhooks/inbox")).toEqual([{ name: "a", messages: 1 }]);
  });

  it("have their projects and destinations by workspace", async () => {
    const [workspace] = await control<readonly { readonly destinations: readonly object[] }[]>("/workspaces");
    expect(workspace).toMatchObject({
      region: "us",
      projects: [{ name: "shop" }, { name: "agent" }],
      destinations: [{ display_name: DESTINATION.display_name, bucket_name: "traces" }],
    });
    expect(JSON.stringify(workspace)).not.toContain("emulator-secret");
  });
});

describe("lists of the control API", () => {
  it("reply with counts and the values of their filters when counts=1", async () => {
    await rig.call("POST", "/threads", {});
    const page = await rig.emulator.control<{ items: unknown[]; total: number; values: object }>(
      "GET",
      "/agent/threads?counts=1&limit=1&status=IDLE&text=%22idle%22",
    );
    expect(page.items).toHaveLength(1);
    expect(page).toMatchObject({
      total: expect.any(Number),
      matching: page.total,
      values: { status: ["idle"] },
    });
    expect(await rig.emulator.control("GET", "/agent/threads?limit=1")).toEqual(page.items);
    expect((await rig.call("GET", "/_emulator/v1/requests/99999")).status).toBe(404);
  });
});
