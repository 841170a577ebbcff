import type { Settings } from "../settings.ts";
import { behaviourOf } from "./assistants.ts";
import { GRAPH_NODES, type GraphNode } from "./behaviours.ts";
import type { Draft } from "./draft.ts";
import type { Ending } from "./plan.ts";
import type { AgentRun, Checkpoint } from "./records.ts";

/** Lets a built-in assistant work, up to a breakpoint or to its end, from where its thread stands. */
export function planGraph(
  { agent, timings }: Settings,
  run: AgentRun,
  draft: Draft,
  checkpoint: Checkpoint | undefined,
): Ending {
  const graphNodes = GRAPH_NODES[behaviourOf({ agent }, run.graph_id)];
  const goesOnAt = (run.kwargs.input ?? null) === null ? startIndex(graphNodes, checkpoint) : -1;
  draft.applyInput();
  for (const [at, { node, run: work }] of graphNodes.entries()) {
    if (at < goesOnAt) continue;
    // A run that goes on from a breakpoint is past it.
    if (at !== goesOnAt && hasBreakpoint(run, "interrupt_before", node)) return breakpointEnding(node);
    draft.beginNode(node);
    const ending = work(draft, { stepMs: timings.agent_step_ms });
    if (ending) return ending;
    const next = graphNodes[at + 1];
    if (next && hasBreakpoint(run, "interrupt_after", node)) return breakpointEnding(next.node);
  }
  return { trigger: "succeed" };
}

/** Where a run without input goes on; -1 when its thread has come to an end or the graph is another one. */
function startIndex(graphNodes: readonly GraphNode[], checkpoint: Checkpoint | undefined): number {
  const [next] = checkpoint?.next ?? [];
  const values = checkpoint?.values ?? null;
  return graphNodes.findLastIndex(({ node, isNext }) => node === next && (isNext?.(values) ?? true));
}

/** A script says how a run goes, breakpoints or not. */
function hasBreakpoint(
  { script, kwargs }: AgentRun,
  when: "interrupt_before" | "interrupt_after",
  node: string,
) {
  const nodes = kwargs[when];
  return script === null && (nodes === "*" || (Array.isArray(nodes) && nodes.includes(node)));
}

/** The run ends there without a question: whoever reads the thread sees which node is next. */
function breakpointEnding(node: string): Ending {
  return { trigger: "ask", node, interrupts: [] };
}
