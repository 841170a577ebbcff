import { parentPort, workerData } from "node:worker_threads";
import { trialsHere } from "../../scenarios/trials.ts";
import type { Invocation } from "../command.ts";
import { openInProcess } from "./in-process.ts";
import { type SubjectFiles, subjectsOf } from "./subjects.ts";
import { wayOf } from "./way.ts";

export interface ThreadStart extends Pick<Invocation, "flags"> {
  readonly subjects: SubjectFiles;
}

/** Requests the names of the trials of a subject, or the result of one of them. */
export interface ThreadQuestion {
  readonly subject: number;
  readonly trial: string | undefined;
}

/** It answers one question after the other; null ends it. */
export type ThreadAnswer = { readonly value: unknown } | { readonly error: string };

const { subjects, ...chosen } = workerData as ThreadStart;
const environments = openInProcess();
const trials = trialsHere(subjectsOf(subjects, environments), wayOf(chosen, false).exploration);

async function answer({ subject, trial }: ThreadQuestion): Promise<ThreadAnswer> {
  try {
    return { value: await (trial === undefined ? trials.plan(subject) : trials.run(subject, trial)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

parentPort?.on("message", async (question: ThreadQuestion | null) => {
  if (question !== null) return parentPort?.postMessage(await answer(question));
  await environments.close();
  process.exit();
});
