import { parentPort, workerData } from "node:worker_threads";
import type { Scenario } from "../../scenarios/document.ts";
import { playScenario, type ReplayOptions } from "../../scenarios/replay.ts";
import { trialsHere } from "../../scenarios/trials.ts";
import type { Invocation } from "../command.ts";
import { openInProcess } from "./in-process.ts";
import { type SubjectFiles, subjectsOf } from "./subjects.ts";
import { wayOf } from "./way.ts";

/** What a thread plays: trials of subjects, or scenarios. */
export type ThreadStart =
  | (Pick<Invocation, "flags"> & { readonly subjects: SubjectFiles })
  | Pick<ReplayOptions, "cwd" | "seed" | "update">;

/** Requests the names of the trials of a subject, the result of one of them, or the outcome of a scenario. */
export type ThreadQuestion =
  | { readonly subject: number; readonly trial: string | undefined }
  | { readonly scenario: Scenario };

/** It answers one question after the other; null ends it. */
export type ThreadAnswer = { readonly value: unknown } | { readonly error: string };

const start = workerData as ThreadStart;
const environments = openInProcess();
const trials =
  "subjects" in start
    ? trialsHere(subjectsOf(start.subjects, environments), wayOf(start, false).exploration)
    : undefined;

function valueOf(question: ThreadQuestion): Promise<unknown> | undefined {
  if ("scenario" in question)
    return playScenario(question.scenario, { ...(start as ReplayOptions), environments });
  const { subject, trial } = question;
  return trial === undefined ? trials?.plan(subject) : trials?.run(subject, trial);
}

async function answer(question: ThreadQuestion): Promise<ThreadAnswer> {
  try {
    return { value: await valueOf(question) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

parentPort?.on("message", async (question: ThreadQuestion | null) => {
  if (question !== null) return parentPort?.postMessage(await answer(question));
  await environments.close();
  process.exit();
});
