import type { Settings } from "../settings.ts";
import { behaviourOf } from "./assistants.ts";
import { GRAPH_NODES, type GraphNode } from "./behaviours.ts";
import type { Draft } from "./draft.ts";
import type { Ending } from "./plan.ts";
import type { AgentRun, Checkpoint } from "./records.ts";

/** Plans a built-in graph from the thread's current state up to a breakpoint or the graph's end. */
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
    // A run that continues from a breakpoint does not stop at that breakpoint again.
    if (at !== goesOnAt && hasBreakpoint(run, "interrupt_before", node)) return breakpointEnding(node);
    draft.beginNode(node);
    const ending = work(draft, { stepMs: timings.agent_step_ms });
    if (ending) return ending;
    const next = graphNodes[at + 1];
    if (next && hasBreakpoint(run, "interrupt_after", node)) return breakpointEnding(next.node);
  }
  return { trigger: "succeed" };
}

/** Index of the node where a run without input continues; -1 when the thread has no next node in this graph. */
function startIndex(graphNodes: readonly GraphNode[], checkpoint: Checkpoint | undefined): number {
  const [next] = checkpoint?.next ?? [];
  const values = checkpoint?.values ?? null;
  return graphNodes.findLastIndex(({ node, isNext }) => node === next && (isNext?.(values) ?? true));
}

/** Whether the run has a breakpoint before or after the node; scripted runs ignore breakpoints. */
function hasBreakpoint(
  { script, kwargs }: AgentRun,
  when: "interrupt_before" | "interrupt_after",
  node: string,
) {
  const nodes = kwargs[when];
  return script === null && (nodes === "*" || (Array.isArray(nodes) && nodes.includes(node)));
}

/** The ending at a breakpoint: no interrupt value; the thread's `next` names the node. */
function breakpointEnding(node: string): Ending {
  return { trigger: "ask", node, interrupts: [] };
}
