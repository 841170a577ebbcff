import { hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import { formatInstant, formatInstantOrNull } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { type ListFilters, listOf } from "../control-list.ts";
import type { Settings } from "../settings.ts";
import type { Reader } from "../turn.ts";
import { PLANS, type Plan } from "./plan.ts";
import { type AgentRun, RUNS, THREADS, type Thread } from "./records.ts";
import { framesBetween, STREAM_START } from "./stream.ts";
import { expiryOf } from "./thread-ttl.ts";

const MASK = "…";
const FRAMES_SHOWN = 500;

const hide = hideWith(MASK);

/** A thread as the control API shows it. */
export type ThreadOverview = ReturnType<typeof threadOverview>;
/** A run as the control API lists it. */
export type RunOverview = ReturnType<typeof runOverview>;
/** A run with its request and the events of its stream so far. */
export type RunDetail = ReturnType<typeof runDetail>;

/** The newest threads of all workspaces, oldest first. */
export function listThreads(reader: Reader, settings: Settings, query: ListFilters) {
  return listOf(reader.list(THREADS), query, {
    filters: { status: ({ status }) => status },
    show: (thread) => threadOverview(reader, settings, thread),
  });
}

/** The newest runs of all workspaces or of one thread, oldest first. */
export function listRuns(reader: Reader, { thread, ...query }: ListFilters) {
  const id = String(thread).toLowerCase();
  const runs = [...reader.list(RUNS)].filter((run) => thread === undefined || run.thread_id === id);
  const filters = { status: ({ status }: AgentRun) => status, kind: ({ graph_id }: AgentRun) => graph_id };
  return listOf(runs, query, { filters, show: runOverview });
}

/** A run by its id. Throws a `Refusal` (404). */
export function runDetail(reader: Reader, id: string) {
  const run = reader.get(RUNS, id);
  if (!run) {
    const hint = "GET /_emulator/v1/agent/runs lists the retained ones.";
    throw new Refusal(404, "not_found", `No run has the id ${id}.`, hint);
  }
  const plan = reader.get(PLANS, id);
  const frames = plan ? streamOf(plan, run) : [];
  return {
    ...runOverview(run),
    kwargs: hideIn<unknown>(run.kwargs, hide),
    metadata: hideIn<unknown>(run.metadata, hide),
    stream_modes: run.stream_modes,
    /** Null for a run that has not begun, or whose stream is no longer retained. */
    stream: plan ? frames.slice(0, FRAMES_SHOWN) : null,
    stream_total: frames.length,
  };
}

function threadOverview(reader: Reader, settings: Settings, thread: Thread) {
  const { region, tenant_id, thread_id, status, metadata } = thread;
  return {
    ...{ region, tenant_id, thread_id, status, metadata: hideIn<unknown>(metadata, hide) },
    created_at: formatInstant(thread.created_at),
    updated_at: formatInstant(thread.updated_at),
    ttl: thread.ttl
      ? { strategy: thread.ttl.strategy, expires_at: formatInstant(expiryOf(settings, thread, thread.ttl)) }
      : null,
    runs: reader.count(RUNS, THREADS.idOf(thread)),
  };
}

function runOverview(run: AgentRun) {
  const { region, tenant_id, run_id, thread_id, assistant_id, graph_id, status, multitask_strategy } = run;
  return {
    ...{ region, tenant_id, run_id, thread_id, assistant_id, graph_id, status, multitask_strategy },
    has_webhook: run.webhook !== null,
    created_at: formatInstant(run.created_at),
    started_at: formatInstantOrNull(run.started_at),
    updated_at: formatInstant(run.updated_at),
    next_at: formatInstantOrNull(run.next_at),
  };
}

/** Every event of the run's stream so far, with the instant at which it was emitted. */
function streamOf(plan: Plan, run: AgentRun) {
  const modes = run.stream_modes.length > 0 ? run.stream_modes : (["values"] as const);
  const upTo = plan.ended?.emitted ?? run.emitted;
  return framesBetween(plan, STREAM_START, upTo, modes).map(({ id, event, data }) => {
    const step = plan.steps[Number(id.split("-")[0]) - 1];
    const at = step ? plan.started_at + step.at : (plan.ended?.at ?? plan.started_at);
    return { id, at: formatInstant(at), event, data: hideIn<unknown>(data, hide) };
  });
}
