import { isRefused } from "../engine/check.ts";
import type { Contract, Reply } from "../engine/contract.ts";
import type { Members } from "../engine/json.ts";
import { awaitEnd, messageIn, PAGE_RUNS, postToThread, readPages, thread } from "../suites/agent-helpers.ts";
import { listIn } from "../suites/reading.ts";
import { Difference, expectSame, expectThat } from "./difference.ts";
import {
  addRun,
  checkPage,
  forgetRuns,
  hasOpenRuns,
  learnRuns,
  newThread,
  type RunQuery,
  refusalOf,
  type ThreadModel,
} from "./thread-model.ts";

/** The threads of one sequence of requests, by their place in it. */
export interface Threads {
  readonly threads: Map<number, ThreadModel>;
  assistants: readonly string[] | undefined;
}

export type ThreadStep =
  | {
      readonly do: "start";
      readonly thread: number;
      readonly by: "" | "/wait" | "/stream";
      readonly assistant: number;
      /** That many runs, one after the other. */
      readonly count: number;
      readonly marker: string;
    }
  | { readonly do: "list"; readonly thread: number; readonly query: RunQuery }
  | { readonly do: "settle"; readonly thread: number };

type StepTo<Name> = Extract<ThreadStep, { readonly do: Name }>;

/** Takes a step, and throws a `Difference` when a reply is not as expected. */
export async function takeThreadStep(step: ThreadStep, model: Threads, t: Contract): Promise<void> {
  if (step.do === "start") {
    for (let run = 0; run < step.count; run += 1) await start(step, `model ${step.marker} ${run}`, model, t);
    return;
  }
  if (step.do === "list") return list(step, model, t);
  const threadModel = await threadOf(step.thread, model, t);
  await awaitEnd(t, threadModel.id);
  forgetRuns(threadModel);
}

/** A thread that no server has. */
export const UNKNOWN_THREAD = -1;

async function threadOf(place: number, { threads }: Threads, t: Contract): Promise<ThreadModel> {
  const threadModel = threads.get(place);
  if (threadModel) return threadModel;
  const id = place === UNKNOWN_THREAD ? t.draw.uuid() : await thread(t);
  const newModel = newThread(id, id !== t.identity.threadId);
  threads.set(place, newModel);
  return newModel;
}

async function assistantsOf(t: Contract): Promise<readonly string[]> {
  const body = { limit: 10, offset: 0 };
  const reply = await t.call<unknown>("POST", "/assistants/search", { body, mayLack: true });
  const ids = listIn(reply.body)
    .map(({ assistant_id }) => assistant_id)
    .filter((id) => typeof id === "string");
  const own = t.identity.assistantId;
  return own !== undefined ? [own] : ids.length > 0 ? ids : ["echo"];
}

async function start(step: StepTo<"start">, marker: string, model: Threads, t: Contract): Promise<void> {
  const threadModel = await threadOf(step.thread, model, t);
  model.assistants ??= await assistantsOf(t);
  const assistantId = model.assistants[step.assistant % model.assistants.length] ?? "";
  // A server may refuse a run on a thread that is busy.
  const mayRefuse = hasOpenRuns(threadModel) || step.by !== "";
  const body = {
    assistant_id: assistantId,
    input: { messages: [{ role: "user", content: marker }] },
    ...(step.by === "/stream" && { stream_mode: "events" }),
  };
  const { status } = await postToThread(t, `${threadModel.id}/runs${step.by}`, body);
  if (status >= 200 && status < 300) return addRun(threadModel, { assistantId, marker });
  // Whether the run exists is open: the next step gets another thread.
  if (mayRefuse) return void model.threads.delete(step.thread);
  throw new Difference("4.8-1", "a run starts on an idle thread", "2xx", status);
}

const listPath = ({ id }: ThreadModel, { limit, offset, status, select = [] }: RunQuery) => {
  const query = new URLSearchParams(select.map((name) => ["select", name]));
  for (const [name, value] of Object.entries({ limit, offset, status }))
    if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return `/threads/${id}/runs${text && `?${text}`}`;
};

async function list({ thread: place, query }: StepTo<"list">, model: Threads, t: Contract) {
  const threadModel = await threadOf(place, model, t);
  const refusal = refusalOf(query);
  const isObserved = query.status === "running" && t.chosen("agent.running_filter") === "accepted";
  if (place === UNKNOWN_THREAD || refusal) {
    const reply = await t.call<unknown>("GET", listPath(threadModel, query));
    if (!isObserved) expectRefusedList(reply, refusal, t);
    return;
  }
  if (!threadModel.runs) learnRuns(threadModel, await allRuns(threadModel, t));
  const page = await pageOf(threadModel, query, t);
  try {
    checkPage(threadModel, query, page);
  } catch (difference) {
    // The runs of a busy thread move on by themselves.
    const before = statusesOf(threadModel.runs);
    const now = await allRuns(threadModel, t);
    forgetRuns(threadModel);
    if (statusesOf(now) === before) throw difference;
  }
}

/** The members that decide on which page a run is; others may differ in each reply. */
const statusesOf = (runs: readonly Members[] = []) =>
  JSON.stringify(runs.map(({ run_id, status }) => [run_id, status]));

/** Which status a refusal has, and whether an unknown thread gets one, is not shown (§7.1). */
function expectRefusedList(reply: Reply<unknown>, refusal: ReturnType<typeof refusalOf>, t: Contract) {
  const isRefusal = isRefused(reply.status);
  if (refusal)
    expectThat(refusal, isRefusal, "invalid parameters of a list are refused", "4xx", reply.status);
  expectThat("4.1-1", reply.status < 500, "status of a list of runs", "2xx or 4xx", reply.status);
  if (!isRefusal) return;
  const message = messageIn(t, reply.body);
  expectThat(
    "2.3-1",
    typeof message === "string",
    "the body of a refusal is a string",
    "a string",
    reply.body,
  );
}

async function pageOf(threadModel: ThreadModel, query: RunQuery, t: Contract): Promise<readonly Members[]> {
  const { status, body } = await t.call<unknown>("GET", listPath(threadModel, query));
  expectSame("4.1-1", "status of a list of runs", status, 200);
  expectThat("4.1-1", Array.isArray(body), "the body of a list of runs", "an array", body);
  return listIn(body);
}

/** Every run of a thread; repeated ones are left to the model. */
const allRuns = (threadModel: ThreadModel, t: Contract) =>
  readPages(t, threadModel.id, (offset) => pageOf(threadModel, { limit: PAGE_RUNS, offset }, t));
