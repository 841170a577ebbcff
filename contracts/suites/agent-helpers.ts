import { accepted } from "../engine/check.ts";
import type { Contract, Reply } from "../engine/contract.ts";
import type { Members } from "../engine/json.ts";

export interface RunBody {
  readonly run_id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly created_at: string;
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
  const { body } = await t.call<readonly Members[]>("POST", "/assistants/search", {
    body: { limit: 100, offset: 0 },
    unjudged: true,
  });
  const list = Array.isArray(body) ? (body as readonly Members[]) : [];
  const found = list.find(({ graph_id }) => graph_id === graph) ?? list[0];
  t.must("4.8-3", typeof found?.assistant_id === "string", "the server has an assistant");
  return String(found?.assistant_id);
}

/** Creates a thread; its reply is checked by a case of its own and not judged here. */
export async function thread(t: Contract): Promise<string> {
  const { body } = await t.call<ThreadBody>("POST", "/threads", { body: {}, unjudged: true });
  t.must("4.8-3", typeof body.thread_id === "string", "POST /threads answers with a thread");
  return body.thread_id;
}

export const INPUT = { messages: [{ role: "user", content: "Hello" }] };

/** Starts a run in the background. */
export async function startRun(t: Contract, threadId: string, more: Members = {}): Promise<RunBody> {
  const body = { assistant_id: await assistant(t), input: INPUT, ...more };
  const reply = await t.call<RunBody>("POST", `/threads/${threadId}/runs`, { body });
  t.must("4.8-1", accepted(reply.status), "a run is started");
  return reply.body;
}

/** Advances the clock by a duration. */
export async function advanceClock(t: Contract, by = "PT1S"): Promise<void> {
  await t.advance(by);
}

const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 2000;
const TIMEOUT_MS = 60_000;

/** Waits until no run of a thread is open: by the clock where there is one, by polling elsewhere. */
export async function awaitEnd(t: Contract, threadId: string): Promise<void> {
  if (t.has("clock")) return advanceClock(t);
  const isOpen = ({ status }: RunBody) => status === "pending" || status === "running";
  let waitMs = FIRST_POLL_MS;
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += waitMs) {
    // Lists are judged by their own cases.
    const path = `/threads/${threadId}/runs?limit=100`;
    const { body } = await t.call<readonly RunBody[]>("GET", path, { unjudged: true });
    if (!Array.isArray(body) || !body.some(isOpen)) return;
    await t.reach.wait(waitMs);
    waitMs = Math.min(waitMs * 2, MAX_POLL_MS);
  }
}

/** Calls an operation of §4.8 by its listed path, and after a 404 by the plural spelling. */
export async function begin(t: Contract, path: string, body: Members): Promise<Reply> {
  const onThread = path.includes("{thread_id}");
  const listed = onThread ? path.replace("{thread_id}", await thread(t)) : path;
  const reply = await t.call("POST", listed, { body });
  if (reply.status !== 404 || !onThread) return reply;
  return t.call("POST", listed.replace("/thread/", "/threads/"), { body });
}

export async function listRuns(t: Contract, threadId: string, query = ""): Promise<readonly RunBody[]> {
  const { body } = await t.call<readonly RunBody[]>("GET", `/threads/${threadId}/runs${query}`);
  return Array.isArray(body) ? body : [];
}
