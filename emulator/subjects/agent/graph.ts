import type { Settings } from "../settings.ts";
import { behaviourOf } from "./assistants.ts";
import { STAGES, type Stage } from "./behaviours.ts";
import type { Draft } from "./draft.ts";
import type { Ending } from "./plan.ts";
import type { AgentRun, Checkpoint } from "./records.ts";

/** Lets a built-in assistant work, up to a breakpoint or to its end, from where its thread stands. */
export function playGraph(
  { agent, timings }: Settings,
  run: AgentRun,
  draft: Draft,
  checkpoint: Checkpoint | undefined,
): Ending {
  const stages = STAGES[behaviourOf({ agent }, run.graph_id)];
  const goesOnAt = (run.kwargs.input ?? null) === null ? stageOf(stages, checkpoint) : -1;
  draft.takeInput();
  for (const [at, { node, work }] of stages.entries()) {
    if (at < goesOnAt) continue;
    // A run that goes on from a breakpoint is past it.
    if (at !== goesOnAt && stopsAt(run, "interrupt_before", node)) return pauseAt(node);
    draft.begin(node);
    const ending = work(draft, { stepMs: timings.agent_step_ms });
    if (ending) return ending;
    const next = stages[at + 1];
    if (next && stopsAt(run, "interrupt_after", node)) return pauseAt(next.node);
  }
  return { trigger: "succeed" };
}

/** Where a run without input goes on; -1 when its thread has come to an end or the graph is another one. */
function stageOf(stages: readonly Stage[], checkpoint: Checkpoint | undefined): number {
  const [next] = checkpoint?.next ?? [];
  const values = checkpoint?.values ?? null;
  return stages.findLastIndex(({ node, isNext }) => node === next && (isNext?.(values) ?? true));
}

/** A script says how a run goes, breakpoints or not. */
function stopsAt({ script, kwargs }: AgentRun, when: "interrupt_before" | "interrupt_after", node: string) {
  const nodes = kwargs[when];
  return script === null && (nodes === "*" || (Array.isArray(nodes) && nodes.includes(node)));
}

/** The run ends there without a question: whoever reads the thread sees which node is next. */
function pauseAt(node: string): Ending {
  return { trigger: "ask", node, interrupts: [] };
}
