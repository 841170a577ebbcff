import { Client } from "langsmith";
import { _checkBackendVersion } from "langsmith/client";
import { RunTree } from "langsmith/run_trees";
import { traceable } from "langsmith/traceable";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DESTINATION, type Rig, runToCompletion } from "../support/emulator.ts";
import { startOver, TRANSPORTS } from "./transports.ts";

const PROJECT = "client-traces";
const DAY_MS = 86_400_000;

/** The client as its users get it: nothing of it is replaced. */
function clientOf(rig: Rig, path = ""): Client {
  return new Client({ apiUrl: `${rig.emulator.url}${path}`, apiKey: "emulator-key", autoBatchTracing: true });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** What the emulator was asked for, from its journal. */
async function operationsOf(rig: Rig): Promise<readonly string[]> {
  const reply = await fetch(`${rig.emulator.url}/_emulator/v1/journal`);
  const lines = (await reply.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line).cause.name as string);
}

let rig: Rig;

/** A chain that asks a model and a tool, the tool failing once. */
async function traceOne(client: Client, question: string): Promise<void> {
  const settings = { client, project_name: PROJECT, tracingEnabled: true };
  const model = traceable(
    async (question: string) => ({
      content: `answer to ${question}`,
      usage_metadata: { input_tokens: 11, output_tokens: 4, total_tokens: 15 },
    }),
    { ...settings, name: "model", run_type: "llm", tags: ["fast"] },
  );
  const tool = traceable(async (path: string) => Promise.reject(new Error(`no file ${path}`)), {
    ...settings,
    name: "tool",
    run_type: "tool",
  });
  const chain = traceable(
    async (question: string) => {
      await tool("/etc/none").catch(() => undefined);
      return (await model(question)).content;
    },
    { ...settings, name: "chain", run_type: "chain", metadata: { thread_id: "t-1" } },
  );
  await chain(question);
}

describe.each(TRANSPORTS)("the npm client langsmith, unmodified, %s", (transport) => {
  beforeEach(async () => {
    rig = await startOver(transport, { clock: "flowing", now: undefined });
  });

  afterEach(() => rig.close());

  test("traces a nested tree through auto-batching and multipart, and reads it back", async () => {
    const client = clientOf(rig);
    await traceOne(client, "why");
    await client.awaitPendingTraceBatches();

    expect(await operationsOf(rig)).toContain("ingestRunParts");
    const [root] = await all(client.listRuns({ projectName: PROJECT, isRoot: true }));
    expect(root).toMatchObject({
      name: "chain",
      run_type: "chain",
      status: "success",
      inputs: { input: "why" },
    });
    expect(root?.outputs).toEqual({ outputs: "answer to why" });
    expect(root?.total_tokens).toBe(15);

    const whole = await client.readRun(root?.id ?? "", { loadChildRuns: true });
    expect(whole.child_runs?.map(({ name }) => name)).toEqual(["tool", "model"]);
    const [tool, model] = whole.child_runs ?? [];
    expect(tool).toMatchObject({ status: "error", parent_run_id: root?.id, trace_id: root?.id });
    expect(tool?.error).toContain("no file /etc/none");
    expect(model).toMatchObject({
      prompt_tokens: 11,
      completion_tokens: 4,
      total_tokens: 15,
      tags: ["fast"],
    });
    expect(model?.dotted_order?.startsWith(`${whole.dotted_order}.`)).toBe(true);
  });

  test("ends a run that it began in an earlier batch", async () => {
    const client = clientOf(rig);
    const run = new RunTree({
      name: "slow",
      run_type: "chain",
      inputs: { a: 1 },
      client,
      project_name: PROJECT,
    });
    await run.postRun();
    await client.awaitPendingTraceBatches();
    expect(await client.readRun(run.id)).toMatchObject({ status: "pending", end_time: null });
    await run.end({ b: 2 });
    await run.patchRun();
    await client.awaitPendingTraceBatches();
    expect(await client.readRun(run.id)).toMatchObject({
      status: "success",
      inputs: { a: 1 },
      outputs: { b: 2 },
    });
  });

  test("lists runs page by page while more arrive", async () => {
    const client = clientOf(rig);
    const base = Date.UTC(2026, 0, 1);
    const post = (from: number, count: number) =>
      rig.call("POST", "/runs/batch", {
        post: Array.from({ length: count }, (_, index) => ({
          id: idOf(from + index),
          name: `run ${from + index}`,
          run_type: "chain",
          start_time: base + (from + index) * 1000,
          session_name: PROJECT,
        })),
      });
    await post(0, 250);
    const ids: string[] = [];
    for await (const run of client.listRuns({ projectName: PROJECT })) {
      ids.push(run.id);
      if (ids.length % 100 === 50) await post(1000 + ids.length, 10);
    }
    expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => idOf(249 - index)));
    expect(await all(client.listRuns({ projectName: PROJECT, limit: 7 }))).toHaveLength(7);
    expect(await all(client.listRuns({ projectName: PROJECT, filter: 'eq(name, "run 7")' }))).toHaveLength(1);
  });

  test("queries with the newest interface", async () => {
    const client = clientOf(rig, "/api/v1");
    await traceOne(client, "how");
    await client.awaitPendingTraceBatches();
    const project = await client.readProject({ projectName: PROJECT });
    const rows = await all(
      client.runs.query({ project_ids: [project.id], selects: ["ID", "NAME", "STATUS"] }),
    );
    expect(rows.map(({ name, status }) => [name, status])).toEqual(
      expect.arrayContaining([
        ["chain", "SUCCESS"],
        ["tool", "ERROR"],
        ["model", "SUCCESS"],
      ]),
    );
    expect(rows).toHaveLength(3);
    const id = rows.find(({ name }) => name === "model")?.id ?? "";
    const selects = ["ID", "RUN_TYPE", "PROJECT_ID", "TOTAL_TOKENS"] as const;
    expect(await client.runs.retrieve(id, { project_id: project.id, selects: [...selects] })).toEqual({
      id,
      run_type: "LLM",
      project_id: project.id,
      total_tokens: 15,
    });
    expect(await client.runs.retrieve(id, { project_id: project.id })).toEqual({ id });
    const [trace] = await all(
      client.traces.query({ project_id: project.id, selects: ["ID", "TOTAL_TOKENS"] }),
    );
    expect(trace?.trace_aggregates).toEqual({ total_tokens: 15 });
    const traceId = trace?.root_run?.id ?? "";
    expect((await client.traces.listRuns(traceId, { project_id: project.id })).items).toHaveLength(3);
    const [thread] = await all(client.threads.query({ project_id: project.id }));
    expect(thread).toMatchObject({ thread_id: "t-1", count: 1, total_tokens: 15, trace_id: traceId });
    expect(await all(client.threads.listTraces("t-1", { project_id: project.id, page_size: 1 }))).toEqual([
      { trace_id: traceId },
    ]);
    const search = { session_id: project.id, selects: ["TURNS" as const] };
    expect(await client.threads.stats("t-1", search)).toEqual({ turns: 1 });
    const elsewhere = client.runs.retrieve(id, { project_id: idOf(1) }, { maxRetries: 0 });
    await expect(elsewhere).rejects.toMatchObject({ status: 404 });
  });

  test("gives feedback, which the row then shows", async () => {
    const client = clientOf(rig);
    await traceOne(client, "why");
    await client.awaitPendingTraceBatches();
    const [root] = await all(client.listRuns({ projectName: PROJECT, isRoot: true }));
    const runId = root?.id ?? "";
    const first = await client.createFeedback(runId, "quality", { score: 0.5, comment: "so so" });
    await client.createFeedback(runId, "quality", { score: 1 });
    await client.createFeedback(runId, "tone", { value: "kind" });
    expect((await client.readRun(runId)).feedback_stats).toEqual({
      quality: { n: 2, avg: 0.75, values: {}, comments: ["so so"] },
      tone: { n: 1, avg: null, values: { kind: 1 } },
    });
    await client.updateFeedback(first.id, { score: 0 });
    expect((await client.readFeedback(first.id)).score).toBe(0);
    expect(await all(client.listFeedback({ runIds: [runId], feedbackKeys: ["quality"] }))).toHaveLength(2);
    await client.deleteFeedback(first.id);
    expect((await client.readRun(runId)).feedback_stats?.quality).toEqual({ n: 1, avg: 1, values: {} });
  });

  test("creates, finds, changes and deletes projects", async () => {
    const client = clientOf(rig);
    const project = await client.createProject({ projectName: "made", description: "by hand" });
    expect(await client.readProject({ projectName: "made" })).toMatchObject({
      id: project.id,
      description: "by hand",
    });
    expect(await client.readProject({ projectId: project.id })).toMatchObject({ name: "made" });
    await expect(client.createProject({ projectName: "made" })).rejects.toMatchObject({
      name: "LangSmithConflictError",
    });
    expect((await client.createProject({ projectName: "made", upsert: true })).id).toBe(project.id);
    await client.updateProject(project.id, { name: "renamed" });
    expect((await all(client.listProjects({ nameContains: "RENAME" }))).map(({ id }) => id)).toEqual([
      project.id,
    ]);
    await client.deleteProject({ projectName: "renamed" });
    expect(await client.hasProject({ projectName: "renamed" })).toBe(false);
    await expect(client.readProject({ projectId: project.id })).rejects.toMatchObject({ status: 404 });
  });

  test("traces single rows without ids, and reads them back thread by thread", async () => {
    const client = new Client({ apiUrl: rig.emulator.url, apiKey: "emulator-key", autoBatchTracing: false });
    const startMs = Date.now();
    for (const [name, thread_id] of [
      ["one", "t-1"],
      ["two", "t-1"],
      ["three", "t-2"],
    ] as const)
      await client.createRun({
        name,
        inputs: { name },
        run_type: "llm",
        project_name: PROJECT,
        start_time: startMs,
        extra: { metadata: { thread_id, session_id: null, conversation_id: null } },
      });
    const threads = await client.listThreads({ projectName: PROJECT });
    expect(threads.map(({ thread_id, count }) => [thread_id, count]).sort()).toEqual([
      ["t-1", 2],
      ["t-2", 1],
    ]);
    const rows = await all(client.readThread({ threadId: "t-1", projectName: PROJECT }));
    expect(rows.map(({ name }) => name).sort()).toEqual(["one", "two"]);
  });

  test("sums runs up", async () => {
    const client = clientOf(rig);
    await traceOne(client, "one");
    await traceOne(client, "two");
    await client.awaitPendingTraceBatches();
    const stats = await client.getRunStats({ projectNames: [PROJECT] });
    expect(stats).toMatchObject({ run_count: 6, total_tokens: 30, prompt_tokens: 22 });
    expect(stats.error_rate).toBeCloseTo(2 / 6);
    const roots = await client.getRunStats({ projectNames: [PROJECT], isRoot: true });
    expect(roots).toMatchObject({ run_count: 2, total_tokens: 30, error_rate: 0 });
  });

  test("the server is new enough for every resource of the newest clients", async () => {
    const { body } = await rig.call<{ version: string }>("GET", "/info");
    const warnings = vi.spyOn(console, "warn").mockReturnValue();
    // The versions that langsmith 0.12.0 (npm) and 0.14.0 (PyPI) require; the installed client compares.
    for (const required of ["0.16.0", "0.16.14", "0.18.0"]) _checkBackendVersion(body.version, required);
    expect(warnings.mock.calls).toEqual([]);
    _checkBackendVersion(body.version, "99.0.0");
    expect(warnings).toHaveBeenCalledOnce();
    warnings.mockRestore();
  });

  test("its traces are exported, and the export verifies", async () => {
    const client = clientOf(rig);
    // The client has no clock but that of this machine. Each day of a window is a run of the export.
    const began = Date.now();
    for (const question of ["one", "two", "three"]) await traceOne(client, question);
    await client.awaitPendingTraceBatches();
    const project = await client.readProject({ projectName: PROJECT });
    const destination = await rig.call<{ id: string }>(
      "POST",
      "/api/v1/bulk-exports/destinations",
      DESTINATION,
    );
    const { body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports", {
      bulk_export_destination_id: destination.body.id,
      session_id: project.id,
      start_time: new Date(began - DAY_MS).toISOString(),
      end_time: new Date(began + DAY_MS).toISOString(),
    });
    expect((await runToCompletion(rig, body.id)).reached).toBe(true);
    expect(await rig.emulator.verifyExport(body.id)).toMatchObject({ ok: true, rows: 9, problems: [] });
  });
});

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}
