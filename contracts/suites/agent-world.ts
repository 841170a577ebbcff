import type { Contract, Members } from "../contract.ts";

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

/** Names of graphs that the emulator always has; another server's first assistant takes their place. */
export async function assistant(t: Contract, graph = "echo"): Promise<string> {
  const { body } = await t.call<readonly Members[]>("POST", "/assistants/search", {
    body: { limit: 100, offset: 0 },
  });
  const list = Array.isArray(body) ? (body as readonly Members[]) : [];
  const found = list.find(({ graph_id }) => graph_id === graph) ?? list[0];
  t.must("4.8-3", typeof found?.assistant_id === "string", "the server has an assistant");
  return String(found?.assistant_id);
}

export async function thread(t: Contract): Promise<string> {
  const { body } = await t.call<ThreadBody>("POST", "/threads", { body: {} });
  t.must("4.8-3", typeof body.thread_id === "string", "POST /threads answers with a thread");
  return body.thread_id;
}

export const INPUT = { messages: [{ role: "user", content: "Hello" }] };

/** Starts a run in the background and lets it come to its end. */
export async function startRun(t: Contract, threadId: string, more: Members = {}): Promise<RunBody> {
  const body = { assistant_id: await assistant(t), input: INPUT, ...more };
  const reply = await t.call<RunBody>("POST", `/threads/${threadId}/runs`, { body });
  t.must("4.8-1", reply.status < 300, "a run is started", { actual: reply.status });
  return reply.body;
}

/** Lets what is due come to its end: by the clock where there is one. */
export async function settle(t: Contract, by = "PT1S"): Promise<void> {
  await t.advance(by);
}

export async function listRuns(t: Contract, threadId: string, query = ""): Promise<readonly RunBody[]> {
  const { body } = await t.call<readonly RunBody[]>("GET", `/threads/${threadId}/runs${query}`);
  return Array.isArray(body) ? body : [];
}
