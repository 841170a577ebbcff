import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Mutation, ROOT } from "../mutations/mutation.ts";
import { type Change, changesIn } from "./operators.ts";

const SUBJECTS = "emulator/subjects";

/** Files whose behaviour the specification shows, for the most part. */
const SHOWN =
  /^(agent\/(assistants|capacity|create-run|run-\w+|stream|threads|view|operations\/\w+)|bulk-exports\/.*|crons\/(create|fire|operations|plan|schedule)|destinations\/.*|filters\/.*|rate-limits\/.*|traces\/row|versions|webhooks\/(addresses|attempt|deliver|policy|view|effects\/.*))\.ts$/;

/** Extensions among them: the control API, explanations, and texts of messages. */
const OWN = /(control|explain|hints|overview|print|problem|run-subscription)\.ts$/;

/** A mutation by chance; `operator` is its kind. */
export interface BlindMutation extends Mutation {
  readonly operator: string;
}

/** Mutations drawn from all of them, the same number of each operator: the same seed draws the same ones from the same sources. */
export function sampleOf(seed: number, count: number): readonly BlindMutation[] {
  const all = readdirSync(join(ROOT, SUBJECTS), { recursive: true, encoding: "utf8" })
    .filter((path) => SHOWN.test(path) && !OWN.test(path))
    .flatMap((path) => mutationsIn(`${SUBJECTS}/${path}`));
  const place = ({ title }: Mutation) => createHash("sha256").update(`${seed} ${title}`).digest("hex");
  const drawn = all
    .map((mutation) => ({ mutation, place: place(mutation) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutation }) => mutation);
  const operators = [...new Set(drawn.map(({ operator }) => operator))].sort();
  const lists = operators.map((name) => drawn.filter(({ operator }) => operator === name));
  return drawn.flatMap((_, round) => lists.flatMap((list) => list[round] ?? [])).slice(0, count);
}

function mutationsIn(file: string): readonly BlindMutation[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  return changesIn(source).map((change) => ({
    ...mutationOf(file, source, change),
    operator: change.operator,
  }));
}

function mutationOf(file: string, source: string, { start, end, text }: Change): Mutation {
  let [from, to] = [start, end];
  // A mutation names its place by a text that occurs once.
  while (source.indexOf(source.slice(from, to)) !== source.lastIndexOf(source.slice(from, to))) {
    from = Math.max(0, from - 1);
    to = Math.min(source.length, to + 1);
  }
  const lines = source.slice(0, start).split("\n");
  const place = `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
  const shown = (part: string) => part.replace(/\s+/g, " ").slice(0, 80);
  return {
    title: `${place} \`${shown(source.slice(start, end))}\` → \`${shown(text)}\``,
    file,
    from: source.slice(from, to),
    to: source.slice(from, start) + text + source.slice(end, to),
    cases: [],
  };
}
