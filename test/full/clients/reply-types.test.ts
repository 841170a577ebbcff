import { Client as Client1 } from "langgraph-sdk-1";
import { Client as Client2 } from "langgraph-sdk-2";
import { Client as Tracing } from "langsmith";
import type * as LangSmith from "langsmith/resources";
import { traceable } from "langsmith/traceable";
import { afterEach, describe, expect, it } from "vitest";
import {
  threadFigures,
  threadTraceSelects,
  v2Selects,
} from "../../../contracts/spec/queries/v2-resources.ts";
import { type Rig, startRig } from "../../support/emulator.ts";
import { AGENT_TYPES, exchangesOf, TRACING_TYPES, typeProblems } from "./reply-types.ts";

const PROFILES = ["spec", "observed"] as const;

const TYPES_OF_TRACING = `
import type * as LangSmith from "MODULES/langsmith/resources.d.mts";
import type * as Schemas from "MODULES/langsmith/schemas.d.mts";
type Page<T> = { items: T[]; next_cursor?: string | null };`;

/**
 * The published types of an agent client, with what they leave out: a thread without a state has no values, and a cron
 * of no user has no user. §2.2 shows all members of a thread: those that the types also require are only in the profile
 * `observed`. The recording has no body of a reply that was sent while the run worked.
 */
function agentTypes(client: string, profile: (typeof PROFILES)[number]): string {
  const beyond = profile === "spec" ? '"interrupts" | "state_updated_at"' : "never";
  return `
import type * as Agent from "MODULES/${client}/dist/index.d.ts";
type Thread = Omit<Agent.Thread, "values" | ${beyond}> & { values: Agent.Thread["values"] | null };
type NewCron<T> = Omit<T, "user_id"> & { user_id: string | null };
type Streamed = undefined;`;
}

let rig: Rig;
afterEach(() => rig.close());

async function callAssistants(client: Client1): Promise<void> {
  const { assistant_id } = await client.assistants.create({
    graphId: "echo",
    name: "Mine",
    metadata: { a: 1 },
  });
  await client.assistants.update(assistant_id, { name: "Ours", description: "changed" });
  await client.assistants.get(assistant_id);
  await client.assistants.search();
  await client.assistants.count();
  await client.assistants.getVersions(assistant_id);
  await client.assistants.setLatest(assistant_id, 1);
  await client.assistants.getGraph(assistant_id);
  await client.assistants.delete(assistant_id);
}

async function callThreads(client: Client1): Promise<void> {
  const { threads } = client;
  const { thread_id } = await threads.create({ metadata: { a: 1 }, graphId: "echo" });
  await threads.get(thread_id);
  await client.runs.wait(thread_id, "agent", { input: { messages: [{ role: "user", content: "hello" }] } });
  await client.runs.wait(thread_id, "interrupting", { input: {} });
  await client.runs.wait(thread_id, "failing", { input: {}, raiseError: false });
  await threads.update(thread_id, { metadata: { b: 2 } });
  await threads.search();
  await threads.count();
  const { checkpoint } = await threads.getState(thread_id);
  await threads.getState(thread_id, checkpoint.checkpoint_id ?? "");
  await threads.getState(thread_id, checkpoint);
  await threads.updateState(thread_id, { values: { b: 2 }, asNode: "__start__" });
  await threads.getHistory(thread_id);
  await threads.copy(thread_id);
  await threads.get(thread_id);
  await threads.delete(thread_id);
}

async function callRuns(client: Client1): Promise<void> {
  const { runs } = client;
  const { thread_id } = await client.threads.create();
  const { run_id } = await runs.create(thread_id, "slow", { input: { a: 1 }, multitaskStrategy: "enqueue" });
  await runs.get(thread_id, run_id);
  await runs.join(thread_id, run_id);
  await runs.list(thread_id);
  await runs.delete(thread_id, run_id);
  const next = await runs.create(thread_id, "slow", { input: {} });
  await runs.cancel(thread_id, next.run_id);
  await runs.wait(null, "echo", { input: { a: 1 } });
  await runs.create(null, "echo", { input: {} });
  await runs.createBatch([{ assistantId: "echo", input: {} }]);
}

async function callCrons(client: Client1): Promise<void> {
  const { crons } = client;
  const { thread_id } = await client.threads.create();
  await crons.createForThread(thread_id, "echo", { schedule: "0 * * * *", timezone: "Europe/Berlin" });
  await crons.create("echo", { schedule: "0 * * * *", metadata: { a: 1 }, endTime: "2100-01-01T00:00:00Z" });
  const results = await crons.search();
  await crons.count();
  for (const { cron_id } of results) {
    await crons.update(cron_id, { enabled: false });
    await crons.delete(cron_id);
  }
}

async function callTracing(client: Tracing): Promise<void> {
  const settings = { client, project_name: "types", tracingEnabled: true };
  const tool = traceable(async () => Promise.reject(new Error("broken")), { ...settings, run_type: "tool" });
  const usage_metadata = { input_tokens: 11, output_tokens: 4, total_tokens: 15 };
  const model = traceable(async () => ({ usage_metadata }), { ...settings, run_type: "llm", tags: ["fast"] });
  const chain = traceable(async () => [await tool().catch(() => 0), await model()], {
    ...settings,
    metadata: { thread_id: "t-1" },
  });
  await chain();
  await client.awaitPendingTraceBatches();
  const [root] = await all(client.listRuns({ projectName: "types", isRoot: true }));
  const { id = "", session_id = "", trace_id = "" } = root ?? {};
  const feedback = await client.createFeedback(id, "quality", { score: 0.5, comment: "so so" });
  await client.updateFeedback(feedback.id, { score: 1 });
  await client.readFeedback(feedback.id);
  await all(client.listFeedback({ runIds: [id] }));
  await client.readRun(id, { loadChildRuns: true });
  await client.getRunStats({ projectIds: [session_id] });
  await callNewest(client, session_id, id, trace_id);
  await client.deleteFeedback(feedback.id);
  await callProjects(client);
}

/** All values that a list of the tables accepts. */
function choices<T>(list: Readonly<Record<string, unknown>>): T[] {
  return (list.items as { readonly enum: T[] }).enum;
}

/** The calls of v2, with every member that can be selected. */
async function callNewest(client: Tracing, session_id: string, id: string, trace_id: string): Promise<void> {
  const project = { project_id: session_id };
  const selects = choices<LangSmith.RunSelectField>(v2Selects);
  await client.runs.retrieve(id, { ...project, selects });
  await client.runs.getURL(id, { ...project, trace_id });
  await all(client.runs.query({ project_ids: [session_id], selects }));
  await all(client.traces.query({ ...project, selects }));
  await client.traces.listRuns(trace_id, { ...project, selects });
  await all(client.threads.query(project));
  type TraceMember = NonNullable<LangSmith.ThreadListTracesParams["selects"]>[number];
  const traceSelects = choices<TraceMember>(threadTraceSelects);
  await all(client.threads.listTraces("t-1", { ...project, selects: traceSelects }));
  const figures = choices<LangSmith.ThreadStatsParams["selects"][number]>(threadFigures);
  await client.threads.stats("t-1", { session_id, selects: figures });
}

async function callProjects(client: Tracing): Promise<void> {
  const { id } = await client.createProject({ projectName: "made", description: "by hand" });
  await client.updateProject(id, { name: "renamed", metadata: { a: 1 } });
  await client.readProject({ projectId: id });
  await all(client.listProjects());
  await client.deleteProject({ projectId: id });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe.each(PROFILES)("replies fit the types of the JavaScript clients, profile %s", (profile) => {
  it.each([
    ["langgraph-sdk-1", Client1],
    ["langgraph-sdk-2", Client2],
  ])("%s", async (name, Client) => {
    rig = await startRig({ profile });
    const client = new Client({ apiUrl: rig.emulator.url, apiKey: "emulator-key" }) as Client1;
    for (const call of [callAssistants, callThreads, callRuns, callCrons]) await call(client);
    expect(
      await typeProblems(await exchangesOf(rig.emulator, AGENT_TYPES), agentTypes(name, profile)),
    ).toEqual([]);
  });

  it("langsmith", async () => {
    rig = await startRig({ profile, clock: "flowing", now: undefined });
    await callTracing(new Tracing({ apiUrl: rig.emulator.url, apiKey: "emulator-key" }));
    expect(await typeProblems(await exchangesOf(rig.emulator, TRACING_TYPES), TYPES_OF_TRACING)).toEqual([]);
  });
});
