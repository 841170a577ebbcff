import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { isJsonObject } from "../traces/json.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import { resolveAssistant } from "./assistants.ts";
import { stopRuns } from "./cancel.ts";
import {
  requireEventCapacity,
  requireMetadataSize,
  requireRunCapacity,
  requireThreadCapacity,
} from "./capacity.ts";
import {
  type AgentRun,
  type Assistant,
  type Json,
  RUNS,
  THREADS,
  type Thread,
  threadKey,
} from "./records.ts";
import { type RunCreateBody, type RunRequest, refuseBadBody, requireStartingPoint } from "./run-checks.ts";
import { activeRunCount, activeRuns, scheduleStart } from "./run-lifecycle.ts";
import { consumeScript } from "./scripts.ts";
import { newThread, threadById } from "./threads.ts";

/** Creates a run. Throws a `Refusal` that names the invalid field, before anything is written. */
export function createRun(turn: Turn, workspace: Workspace, request: RunRequest): AgentRun {
  const { assistant, found, strategy } = checkRun(turn, workspace, request);
  const stops = strategy === "interrupt" || strategy === "rollback";
  const stopped = found && stops ? activeRuns(turn, threadKey(found, found.thread_id)) : [];
  const thread = found ?? threadFor(turn, workspace, request);
  const run = runOf(turn, request, thread, assistant, strategy);
  turn.put(THREADS, busyThread(turn, thread, assistant, request));
  turn.put(RUNS, run);
  if (stops) stopRuns(turn, stopped, strategy);
  if (run.eligible_at !== null) scheduleStart(turn, run, run.eligible_at - turn.now);
  return run;
}

/** Creates several stateless runs: all or none. Throws like `createRun`. */
export function createRuns(
  turn: Turn,
  workspace: Workspace,
  bodies: readonly RunCreateBody[],
): readonly AgentRun[] {
  const requests = bodies.map((body, index) => ({ threadId: null, body, where: `body[${index}]` }));
  for (const request of requests) checkRun(turn, workspace, request);
  requireThreadCapacity(turn, workspace, requests.length);
  requireEventCapacity(turn, requests.length);
  return requests.map((request) => createRun(turn, workspace, request));
}

function checkRun(turn: Turn, workspace: Workspace, request: RunRequest) {
  const { body, where } = request;
  const assistant = resolveAssistant(turn, workspace, body.assistant_id, where);
  const thread =
    request.threadId === null ? undefined : existingThread(turn, workspace, request.threadId, body);
  refuseBadBody(turn, request);
  requireStartingPoint(turn, request, thread, assistant);
  requireMetadataSize(turn, { metadata: null, config: configAfter(assistant, thread, body) });
  if (thread) requireRunCapacity(turn, thread);
  else requireThreadCapacity(turn, workspace);
  requireEventCapacity(turn);
  const strategy = strategyOf(turn, body);
  const active = thread ? activeRunCount(turn, threadKey(thread, thread.thread_id)) : 0;
  refuseWhenBusy(turn, active, strategy);
  return { assistant, found: thread, strategy };
}

function existingThread(
  turn: Turn,
  workspace: Workspace,
  threadId: string,
  body: RunCreateBody,
): Thread | undefined {
  const thread = threadById(turn, workspace, threadId);
  if (!thread && body.if_not_exists !== "create")
    throw new Refusal(
      404,
      "not_found",
      `thread_id: no thread ${threadId}.`,
      "Create it, or send if_not_exists: create.",
    );
  return thread;
}

function strategyOf({ ports }: Turn, { multitask_strategy }: RunCreateBody): AgentRun["multitask_strategy"] {
  const standard = ports.settings.assumptions["agent.multitask_default"];
  return multitask_strategy ?? (standard as AgentRun["multitask_strategy"]);
}

function refuseWhenBusy({ ports }: Turn, active: number, strategy: AgentRun["multitask_strategy"]): void {
  const { agent_pending_runs } = ports.settings.limits;
  if (strategy === "reject" && active > 0)
    throw new Refusal(
      409,
      "thread_busy",
      "Thread is already running a task. Wait for it to finish or choose a different multitask strategy.",
    );
  if (strategy === "enqueue" && active > agent_pending_runs)
    throw new Refusal(
      409,
      "thread_full",
      `${agent_pending_runs} runs wait on this thread, the maximum.`,
      "Advance the clock, or raise limits.agent_pending_runs.",
    );
}

function threadFor(turn: Turn, workspace: Workspace, { threadId, body }: RunRequest): Thread {
  if (threadId !== null) return newThread(turn, workspace, { thread_id: threadId });
  return { ...newThread(turn, workspace, {}), temporary: body.on_completion !== "keep" };
}

function busyThread({ now }: Turn, thread: Thread, assistant: Assistant, { body }: RunRequest): Thread {
  const { graph_id, assistant_id } = assistant;
  const metadata = { ...thread.metadata, graph_id, assistant_id };
  const config = configAfter(assistant, thread, body);
  return { ...thread, metadata, config, status: "busy", updated_at: now };
}

/** The configuration of a thread with a run: members of the run replace those of the thread and the assistant. */
function configAfter(assistant: Assistant, thread: Thread | undefined, { config }: RunCreateBody): Json {
  return { ...assistant.config, ...thread?.config, ...config, ...configurableOf(assistant, thread, config) };
}

function configurableOf(assistant: Assistant, thread: Thread | undefined, config: unknown) {
  const sources = [assistant.config, thread?.config, asJson(config)];
  const configurable: Json = Object.assign({}, ...sources.map((source) => asJson(source?.configurable)));
  return { configurable };
}

function runOf(
  turn: Turn,
  { body, metadata }: RunRequest,
  thread: Thread,
  assistant: Assistant,
  strategy: AgentRun["multitask_strategy"],
): AgentRun {
  const { assistant_id, graph_id } = assistant;
  const { region, tenant_id, thread_id } = thread;
  const run_id = turn.nextId("agent_run");
  const script = consumeScript(turn, { assistant_id, graph_id, thread_id });
  const eligible_at = script?.never_starts ? null : turn.now + Math.round((body.after_seconds ?? 0) * 1000);
  const allMetadata = {
    ...assistant.metadata,
    ...thread.metadata,
    // The thread names the assistant of its previous run.
    graph_id,
    assistant_id,
    ...asJson(body.config?.metadata),
    ...body.metadata,
    ...metadata,
  };
  return {
    region,
    tenant_id,
    run_id,
    thread_id,
    assistant_id,
    graph_id,
    created_at: turn.now,
    updated_at: turn.now,
    status: "pending",
    metadata: allMetadata,
    kwargs: kwargsOf(body, assistant, thread, { run_id, metadata: allMetadata }),
    multitask_strategy: strategy,
    webhook: body.webhook ?? null,
    stream_modes: modesOf(body),
    eligible_at,
    started_at: null,
    next_at: eligible_at,
    emitted: 0,
    script,
  };
}

/** §2.1: run input, configuration and other metadata. */
function kwargsOf(
  body: RunCreateBody,
  assistant: Assistant,
  thread: Thread,
  { run_id, metadata }: Pick<AgentRun, "run_id" | "metadata">,
): Json {
  const { assistant_id, graph_id, config, context } = assistant;
  const { thread_id, temporary } = thread;
  const { configurable } = configurableOf(assistant, thread, body.config);
  return {
    input: body.input ?? null,
    command: body.command ?? null,
    config: {
      ...config,
      ...body.config,
      configurable: { ...configurable, run_id, thread_id, graph_id, assistant_id },
      metadata,
    },
    context: { ...context, ...body.context },
    stream_mode: modesOf(body),
    interrupt_before: body.interrupt_before ?? null,
    interrupt_after: body.interrupt_after ?? null,
    webhook: body.webhook ?? null,
    feedback_keys: body.feedback_keys ?? null,
    temporary,
    subgraphs: body.stream_subgraphs ?? false,
    resumable: body.stream_resumable ?? false,
    durability: body.durability ?? "async",
    ...Object.fromEntries(
      OPTIONAL_KWARGS.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
    ),
  };
}

/** Members that are stored in kwargs when they were sent. */
const OPTIONAL_KWARGS = [
  "checkpoint",
  "checkpoint_id",
  "checkpoint_during",
  "strict_resume",
  "langsmith_tracer",
] as const satisfies readonly (keyof RunCreateBody)[];

function modesOf({ stream_mode }: RunCreateBody): readonly StreamMode[] {
  if (stream_mode === undefined) return ["values"];
  return [...new Set(typeof stream_mode === "string" ? [stream_mode] : stream_mode)];
}

function asJson(value: unknown): Json {
  return isJsonObject(value) ? value : {};
}
