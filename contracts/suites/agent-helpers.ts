import { accepted, isRefused } from "../engine/check.ts";
import type { CallOptions, Contract, Reply } from "../engine/contract.ts";
import { isMembers, jsonOf, type Members } from "../engine/json.ts";
import { NEEDS } from "../engine/needs.ts";
import type { Delivery } from "../engine/target.ts";

export interface RunBody {
  readonly run_id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly status: string;
  readonly metadata: Members;
  readonly kwargs: Members;
  readonly multitask_strategy: string;
}

export interface ThreadBody {
  readonly thread_id: string;
  readonly status: string;
  readonly values: unknown;
}

/** Id of the configured assistant; else of the emulator's `echo`, or of the first one of the server. */
export async function assistant(t: Contract, graph = "echo"): Promise<string> {
  if (t.identity.assistantId !== undefined) return t.identity.assistantId;
  const { status, body } = await t.call<unknown>("POST", "/assistants/search", {
    body: { limit: 100, offset: 0 },
    unchecked: true,
    mayLack: true,
  });
  // A server without a search may still know its assistants by name.
  if (status === 404 || status === 405 || status === 501) return graph;
  const list = Array.isArray(body) ? body.filter(isMembers) : [];
  const selected = list.find(({ graph_id }) => graph_id === graph) ?? list[0];
  t.must("4.8-3", typeof selected?.assistant_id === "string", "the server has an assistant");
  return String(selected?.assistant_id);
}

/**
 * Creates a thread, or takes the one that was given where the server creates none. The reply is checked by a case of
 * its own and not checked here.
 */
export async function thread(t: Contract): Promise<string> {
  const { threadId } = t.identity;
  const mayLack = threadId !== undefined;
  if (mayLack && !t.has("writes")) return threadId;
  if (!t.has("writes")) t.lack(`a target that ${NEEDS.writes}, or a thread of it (--thread)`);
  const { status, body } = await t.call<ThreadBody>("POST", "/threads", {
    body: {},
    unchecked: true,
    mayLack,
  });
  if (mayLack && isRefused(status)) return threadId;
  t.must("4.8-3", typeof body.thread_id === "string", "POST /threads returns a thread");
  return body.thread_id;
}

/** The message of a refusal of the agent server: a string (§2.3), or by the profile `observed` its member detail. */
export function messageIn(t: Contract, body: unknown): unknown {
  if (t.chosen("agent.error_body") === "a JSON string") return body;
  return isMembers(body) ? body.detail : body;
}

export const INPUT = { messages: [{ role: "user", content: "Hello" }] };

/** Posts below a thread, by whichever spelling of the path the server has: the plural, else the one of §4.8. */
export async function postToThread<T = Members>(t: Contract, tail: string, body: Members): Promise<Reply<T>> {
  const plural = await t.call<T>("POST", `/threads/${tail}`, { body, mayLack: true });
  if (plural.status !== 404 && plural.status !== 405) return plural;
  return t.call<T>("POST", `/thread/${tail}`, { body });
}

/** Starts a run in the background. */
export async function startRun(t: Contract, threadId: string, more: Members = {}): Promise<RunBody> {
  const body = { assistant_id: await assistant(t), input: INPUT, ...more };
  const reply = await postToThread<RunBody>(t, `${threadId}/runs`, body);
  t.must("4.8-1", accepted(reply.status), "the run is started");
  return reply.body;
}

/** What becomes of the next run of a thread. */
export async function script(t: Contract, threadId: string, then: Members): Promise<void> {
  await t.control("POST", "/agent/scripts", { match: { thread_id: threadId }, then, times: 1 });
}

/** Has two runs after each other, and returns the content of the message of each. */
export async function runTwice(t: Contract, threadId: string): Promise<readonly string[]> {
  const contents = ["earlier", "newest"].map((word) => `${word} ${t.draw.word()}`);
  for (const content of contents) {
    await startRun(t, threadId, { input: { messages: [{ role: "user", content }] } });
    await awaitEnd(t, threadId);
  }
  return contents;
}

/** Waits until no run of a thread is open: by the clock where there is one, by polling elsewhere. */
export async function awaitEnd(t: Contract, threadId: string): Promise<void> {
  if (t.has("clock")) await t.advance("PT1S");
  if (t.has("control")) return;
  const isOpen = ({ status }: RunBody) => status === "pending" || status === "running";
  // Lists have cases of their own.
  const options = { unchecked: true, mayLack: true };
  await t.eventually(async () => !(await allRuns(t, threadId, "", options)).some(isOpen));
}

/** Calls an operation of §4.8 by its listed path, and after a 404 by the plural spelling. */
export async function postToListedPath(t: Contract, path: string, body: Members): Promise<Reply> {
  const onThread = path.includes("{thread_id}");
  const listedPath = onThread ? path.replace("{thread_id}", await thread(t)) : path;
  const reply = await t.call("POST", listedPath, { body, mayLack: onThread });
  if (reply.status !== 404 || !onThread) return reply;
  return t.call("POST", listedPath.replace("/thread/", "/threads/"), { body });
}

export async function listRuns(t: Contract, threadId: string, query = ""): Promise<readonly RunBody[]> {
  const { body } = await t.call<readonly RunBody[]>("GET", `/threads/${threadId}/runs${query}`);
  return Array.isArray(body) ? body : [];
}

/** Runs of a page: more than the default. */
export const PAGE_RUNS = 20;
const MAX_RUNS = 5000;

/**
 * Every run of a thread that the query selects, once: pages are read until one is short or has no run that is new. They
 * are small, because the largest limit is not shown (§8.1). Ends the case where a server invents more and more runs.
 */
export async function allRuns(
  t: Contract,
  threadId: string,
  query = "",
  options: CallOptions = {},
): Promise<readonly RunBody[]> {
  const runs = new Map<unknown, RunBody>();
  for (let offset = 0; offset < MAX_RUNS; ) {
    const path = `/threads/${threadId}/runs?limit=${PAGE_RUNS}&offset=${offset}${query}`;
    const { body } = await t.call<readonly RunBody[]>("GET", path, options);
    const page = Array.isArray(body) ? body.filter((run: RunBody) => isMembers(run)) : [];
    const before = runs.size;
    for (const run of page) runs.set(run.run_id, run);
    if (page.length < PAGE_RUNS || runs.size === before) return [...runs.values()];
    offset += page.length;
  }
  const isOwn = threadId !== t.identity.threadId;
  t.must("4.1-1", !isOwn, "the list has only runs that were started", { actual: `${runs.size} runs` });
  return t.lack("a thread with fewer runs (--thread)");
}

/** The run in a delivery (§6). */
export function deliveredRun(t: Contract, delivery: Delivery | undefined): RunBody {
  const run = jsonOf(delivery?.body);
  t.must("6-1", isMembers(run), "the payload is a run", { actual: delivery?.body });
  return run as RunBody;
}
