import type { Settings } from "../settings.ts";
import { behaviourOf } from "./assistants.ts";
import { GRAPH_NODES, type GraphNode } from "./behaviours.ts";
import type { Draft } from "./draft.ts";
import type { Ending } from "./plan.ts";
import type { AgentRun, Checkpoint, Json } from "./records.ts";

/** Plans a built-in graph from the thread's current state up to a breakpoint or the graph's end. */
export function planGraph(
  { agent, timings }: Settings,
  run: AgentRun,
  draft: Draft,
  checkpoint: Checkpoint | undefined,
): Ending {
  const graphNodes = GRAPH_NODES[behaviourOf({ agent }, run.graph_id)];
  const continueAt = begin(run, graphNodes, draft, checkpoint);
  for (const [at, { node, run: work }] of graphNodes.entries()) {
    if (at < continueAt) continue;
    // A run that continues from a breakpoint does not stop at that breakpoint again.
    if (at !== continueAt && hasBreakpoint(run, "interrupt_before", node))
      return breakpointEnding(draft, node);
    draft.beginNode(node);
    const ending = work(draft, { stepMs: timings.agent_step_ms });
    if (ending) return ending;
    const next = graphNodes[at + 1];
    if (next && hasBreakpoint(run, "interrupt_after", node)) return breakpointEnding(draft, next.node);
  }
  return { trigger: "succeed" };
}

/** Plans the start of a run. Returns the index of the node where it continues; -1 when it starts from the beginning. */
function begin(
  { kwargs }: AgentRun,
  graphNodes: readonly GraphNode[],
  draft: Draft,
  checkpoint: Checkpoint | undefined,
): number {
  const goto = gotoOf(kwargs);
  const next = goto ?? (kwargs.input == null ? checkpoint?.next[0] : undefined);
  const values = checkpoint?.values ?? null;
  const continueAt = graphNodes.findLastIndex(
    ({ node, isNext }) => node === next && (isNext?.(values) ?? true),
  );
  if (goto !== undefined) draft.goTo(goto);
  else if (continueAt === -1) draft.applyInput();
  else draft.goOn();
  return continueAt;
}

/** The node of `command.goto`, alone or in a list; undefined unless it names exactly one. */
export function gotoOf({ command }: { readonly command?: unknown }): string | undefined {
  const target = (command as Json | null | undefined)?.goto;
  const [node, ...more] = Array.isArray(target) ? target : [target];
  return typeof node === "string" && more.length === 0 ? node : undefined;
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
function breakpointEnding(draft: Draft, node: string): Ending {
  draft.stopBefore(node);
  return { trigger: "ask", node, interrupts: [] };
}
