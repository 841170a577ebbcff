import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { ingest } from "../traces/ingest.ts";
import type { Turn } from "../turn.ts";
import { assistantById } from "./assistants.ts";
import type { Plan, Span } from "./plan.ts";
import type { AgentRun, Values } from "./records.ts";

/** Writes the trace rows of an ended run: one for the run and one for each model and tool call. */
export function traceRun(turn: Turn, run: AgentRun, plan: Plan, values: Values): void {
  const { agent } = turn.ports.settings;
  if (!agent.traces) return;
  const name = assistantById(turn, run, run.assistant_id)?.name ?? run.graph_id;
  const project = agent.project ?? name;
  const elapsed = plan.ended?.at ?? 0;
  const root = rootRow(run, plan, name, values);
  const spans = plan.spans.filter(({ from }) => from <= elapsed);
  const rows = [root, ...spans.map((span) => spanRow(turn, run, plan, span, elapsed))];
  const posts = rows.map((row, index) => ({
    value: { ...row, session_name: project },
    where: `row[${index}]`,
  }));
  try {
    ingest(turn, run, { posts, patches: [] });
  } catch (error) {
    // For example inputs nested deeper than a row allows; this does not fail the run.
    if (!(error instanceof Refusal)) throw error;
    turn.note("agent_run.untraced", run.run_id, { reason: error.message });
  }
}

function rootRow(run: AgentRun, plan: Plan, name: string, values: Values) {
  return {
    id: run.run_id,
    name,
    run_type: "chain",
    start_time: formatInstant(plan.started_at),
    end_time: formatInstant(plan.started_at + (plan.ended?.at ?? 0)),
    inputs: objectOf(run.kwargs.input),
    outputs: values ?? {},
    ...errorOf(plan),
    tags: [],
    extra: {
      metadata: {
        ...run.metadata,
        thread_id: run.thread_id,
        run_id: run.run_id,
        assistant_id: run.assistant_id,
        graph_id: run.graph_id,
      },
    },
  };
}

function spanRow(turn: Turn, run: AgentRun, plan: Plan, span: Span, elapsed: number) {
  const usage = span.extra?.usage as { prompt_tokens: number; completion_tokens: number } | undefined;
  const hasEnded = span.to <= elapsed;
  return {
    id: turn.nextId("trace_row"),
    trace_id: run.run_id,
    parent_run_id: run.run_id,
    name: span.name,
    run_type: span.run_type,
    start_time: formatInstant(plan.started_at + span.from),
    end_time: formatInstant(plan.started_at + Math.min(span.to, elapsed)),
    inputs: span.inputs,
    ...(hasEnded ? { outputs: span.outputs } : { error: "Stopped." }),
    extra: span.extra ?? {},
    ...(hasEnded && usage && { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }),
  };
}

function errorOf({ ended }: Plan): { readonly error?: string } {
  const ending = ended?.ending;
  if (ending?.trigger === "fail" || ending?.trigger === "time_out")
    return { error: `${ending.error}: ${ending.message}` };
  if (ended && !ending) return { error: "Rolled back by its caller." };
  return ending?.trigger === "cancel" ? { error: "Interrupted by its caller." } : {};
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {};
  return typeof value === "object" && !Array.isArray(value) ? { ...value } : { input: value };
}
