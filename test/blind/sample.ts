import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../mutations/mutation.ts";
import { type Change, changesIn } from "./operators.ts";

const SUBJECTS = "emulator/subjects";

/** Files whose behaviour the specification shows, for the most part. */
const SHOWN =
  /^(agent\/(create-run|run-lifecycle|stream|threads|view|operations\/(runs|starts|threads))|bulk-exports\/.*|crons\/(create|fire|operations)|destinations\/.*|filters\/.*|rate-limits\/(identity|limiter|matching|tally)|traces\/(lineage|row)|versions|webhooks\/(addresses|attempt|deliver|policy|effects\/(exchange|send-\w+)))\.ts$/;

/** Extensions among them: the control API, explanations, and texts of messages. */
const OWN = /(control|explain|hints|overview|print|problem|progress)\.ts$/;

/** A mutation by chance. */
export interface BlindMutation extends Change {
  readonly file: string;
  readonly title: string;
}

/** Mutations drawn from all of them, the same number of each operator: the same seed draws the same ones from the same sources. */
export function sampleOf(seed: number, count: number): readonly BlindMutation[] {
  const all = readdirSync(join(ROOT, SUBJECTS), { recursive: true, encoding: "utf8" })
    .filter((path) => SHOWN.test(path) && !OWN.test(path))
    .flatMap((path) => mutationsIn(`${SUBJECTS}/${path}`));
  const place = ({ title }: BlindMutation) => createHash("sha256").update(`${seed} ${title}`).digest("hex");
  const samples = all
    .map((mutation) => ({ mutation, place: place(mutation) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutation }) => mutation);
  const operators = [...new Set(samples.map(({ operator }) => operator))].sort();
  const lists = operators.map((name) => samples.filter(({ operator }) => operator === name));
  return samples.flatMap((_, round) => lists.flatMap((list) => list[round] ?? [])).slice(0, count);
}

function mutationsIn(file: string): readonly BlindMutation[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  return changesIn(source).map((change) => ({ ...change, file, title: titleOf(file, source, change) }));
}

function titleOf(file: string, source: string, { place, from, to }: Change): string {
  const lines = source.slice(0, place).split("\n");
  const viewOf = (part: string) => part.replace(/\s+/g, " ").slice(0, 80);
  const name = file.slice(SUBJECTS.length + 1);
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return `${name}:${lines.length}:${column} \`${viewOf(from)}\` → \`${viewOf(to)}\``;
}
