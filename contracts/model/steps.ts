import type { AsyncCommand } from "fast-check";
import { type Contract, Lacking } from "../engine/contract.ts";
import { type ExportStep, type Exports, takeExportStep } from "./export-steps.ts";
import { forgetRuns } from "./thread-model.ts";
import { type ThreadStep, type Threads, takeThreadStep } from "./thread-steps.ts";

/** What the model knows of a server during one sequence of requests. */
export interface Model extends Threads, Exports {}

export function newModel(): Model {
  return { threads: new Map(), exports: [], order: undefined, assistants: undefined };
}

/** A request, or a few that belong together; `pass` advances the clock. */
export type Step = ThreadStep | ExportStep | { readonly do: "pass"; readonly by: string };

/** The server that requests are sent to. */
export interface Server {
  readonly t: Contract;
  /** What the server does not have, by step. */
  readonly lacking: Map<Step["do"], string>;
}

/** A step as a command of fast-check. */
export function commandOf(step: Step): AsyncCommand<Model, Server> {
  return {
    check: (model) => !("export" in step) || model.exports.length > 0,
    async run(model, { t, lacking }) {
      if (lacking.has(step.do)) return;
      try {
        await take(step, model, t);
      } catch (error) {
        if (!(error instanceof Lacking)) throw error;
        lacking.set(step.do, error.message);
      }
    },
    toString: () => JSON.stringify(step),
  };
}

async function take(step: Step, model: Model, t: Contract): Promise<void> {
  if (step.do === "start" || step.do === "list" || step.do === "settle")
    return takeThreadStep(step, model, t);
  if (step.do !== "pass") return takeExportStep(step, model, t);
  if (!t.has("clock")) return;
  for (const threadModel of model.threads.values()) forgetRuns(threadModel);
  await t.advance(step.by);
}
