import type { CheckpointStep, Step } from "./plan.ts";
import type { Checkpoint } from "./records.ts";

/** The states that a planned run writes, each after the one before it. */
export type StateChain = ReturnType<typeof createStateChain>;

export interface StateChainOptions {
  /** The state that the run starts from; undefined on a thread without one. */
  readonly from: Checkpoint | undefined;
  /** `config.recursion_limit` of the run; null without one. */
  readonly recursionLimit: number | null;
  readonly steps: Step[];
  readonly at: () => number;
  nextId(kind: string): string;
}

/** Thrown when a run needs more steps than `config.recursion_limit`; the name is that of the wire. */
export class GraphRecursionError extends Error {
  override readonly name = "GraphRecursionError";
}

export function createStateChain(options: StateChainOptions) {
  const { from, recursionLimit, steps, nextId } = options;
  let [id, step, stateCount, lastIndex] = [from?.checkpoint_id ?? null, stepOf(from), 0, -1];
  const append = (state: CheckpointStep) => {
    lastIndex = steps.length;
    steps.push({ at: options.at(), ...state });
    [id, step] = [state.id, state.step];
  };
  return {
    /** Id of the last state; also that of the task that starts from it. */
    get id(): string {
      return id ?? "";
    },
    add(source: CheckpointStep["source"], next: readonly string[]): void {
      stateCount += 1;
      const content = { source, next, stored: null, parent_id: id, step: step + 1 };
      append({ kind: "checkpoint", id: nextId("agent_checkpoint"), ...content });
    },
    /** Takes the state that the run starts from as the first one. */
    goOn(): void {
      if (!from) throw new Error("No state to continue from.");
      const { checkpoint_id, parent_id, next, metadata, interrupts } = from;
      const members = { metadata, interrupts };
      append({
        kind: "checkpoint",
        id: checkpoint_id,
        parent_id,
        step,
        source: "loop",
        next,
        stored: members,
      });
    },
    /** Sets the nodes that are executed after the last state. */
    setNext(next: readonly string[]): void {
      const last = steps[lastIndex];
      if (last?.kind === "checkpoint" && !last.stored) steps[lastIndex] = { ...last, next };
    },
    /** Throws a `GraphRecursionError` once the run has written more states than its limit allows. */
    checkLimit(): void {
      // The input takes two steps of its own, so that with input a limit of n ends the run after n nodes.
      if (recursionLimit === null || stateCount <= recursionLimit + 1) return;
      throw new GraphRecursionError(
        `Recursion limit of ${recursionLimit} reached before the run ended. Raise config.recursion_limit.`,
      );
    },
  };
}

function stepOf(from: Checkpoint | undefined): number {
  return typeof from?.metadata.step === "number" ? from.metadata.step : -2;
}
