import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Actor, CONTROL_PATH, type Exchange } from "./actor.ts";
import type { GivenStep, Verb } from "./definition.ts";
import type { Step } from "./document.ts";
import { differences, shownValue } from "./matching.ts";
import { ABSENT, valueAt } from "./paths.ts";
import { type Sight, worldDifferences } from "./sources.ts";
import { filled, type Variables } from "./variables.ts";

/** What the steps of one scenario share. */
export interface Play {
  readonly actor: Actor;
  readonly sight: Sight;
  readonly variables: Variables;
}

type Plain = Exclude<Verb, "repeat" | "include">;

/** Does a step and says how its outcome differs from what it expects. */
export async function perform(play: Play, step: Step): Promise<string[]> {
  const act = ACTS[step.verb as Plain] as (play: Play, given: GivenStep, step: Step) => Promise<string[]>;
  return act(play, filled(step.given, play.variables), step);
}

const ACTS: { readonly [V in Plain]: (play: Play, given: GivenStep<V>, step: Step) => Promise<string[]> } = {
  async request(play, given) {
    return settle(play, given, await play.actor.send(given.request, given));
  },
  async control(play, given) {
    const space = given.control.indexOf(" ");
    const line = `${given.control.slice(0, space)} ${CONTROL_PATH}${given.control.slice(space + 1)}`;
    return settle(play, given, await play.actor.send(line, given));
  },
  async advance(play, given) {
    const target = typeof given.advance === "string" ? { by: given.advance } : given.advance;
    const body = "next" in target ? { ...target, next: Number(target.next) } : target;
    const said = await play.actor.send(`POST ${CONTROL_PATH}/clock/advance`, { body });
    const usual = { body: { settled: true, ...("until" in target && { reached: true }) } };
    return settle(play, { ...given, expect: given.expect ?? usual }, said);
  },
  async fault(play, given) {
    return settle(play, given, await play.actor.send(`POST ${CONTROL_PATH}/faults`, { body: given.fault }));
  },
  async seed(play, given, step) {
    const value = await seed(play, given.seed, step);
    return capture(play, given.capture, value);
  },
  expect: (play, given) =>
    worldDifferences(play.sight, given.expect as Readonly<Record<string, Readonly<Record<string, unknown>>>>),
};

interface Consequence {
  readonly expect?: { readonly status?: unknown; readonly headers?: unknown; readonly body?: unknown };
  readonly capture?: Readonly<Record<string, string>>;
  readonly collect?: Readonly<Record<string, string>>;
}

/** Compares a reply with what is expected of it, and keeps what is wanted of it. */
function settle(play: Play, given: Consequence, { answer, body }: Exchange): string[] {
  const { status, headers, body: wanted } = given.expect ?? {};
  const found = [
    ...(status === undefined ? failureOf(answer.status, body) : differences(status, answer.status, "status")),
    ...(headers === undefined ? [] : differences(headers, answer.headers, "headers")),
    ...(wanted === undefined ? [] : differences(wanted, body, "body")),
  ];
  if (found.length > 0) return found;
  return [...capture(play, given.capture, body), ...collect(play, given.collect, body)];
}

function failureOf(status: number, body: unknown): string[] {
  return status < 400 ? [] : [`status: expected a success, found ${status} ${shownValue(body)}`];
}

function capture(
  { variables }: Play,
  wanted: Readonly<Record<string, string>> = {},
  value: unknown,
): string[] {
  return Object.entries(wanted).flatMap(([name, path]) => {
    const found = valueAt(value, path);
    if (found === ABSENT) return [`${path}: not found in ${shownValue(value)}, so ${name} cannot be set`];
    variables[name] = found;
    return [];
  });
}

function collect(
  { variables }: Play,
  wanted: Readonly<Record<string, string>> = {},
  value: unknown,
): string[] {
  for (const [name, path] of Object.entries(wanted)) {
    const found = valueAt(value, path);
    const list = Array.isArray(variables[name]) ? (variables[name] as readonly unknown[]) : [];
    if (found !== ABSENT) variables[name] = [...list, ...[found].flat()];
  }
  return [];
}

type Seed = GivenStep<"seed">["seed"];

/** Puts data there in one way or several; the value is what the last of them answered. */
async function seed({ actor }: Play, given: Seed, { place }: Step): Promise<unknown> {
  let value: unknown = {};
  if (given.bucket !== undefined) value = await actor.control("POST", "/s3/buckets", { name: given.bucket });
  if (given.credential !== undefined)
    value = await actor.control("POST", "/s3/credentials", given.credential);
  if (given.traces !== undefined) value = await actor.control("POST", "/traces/generate", given.traces);
  const runs = [...(given.runs ?? []), ...(given.file === undefined ? [] : runsIn(given.file, place.file))];
  return runs.length === 0 ? value : ingest(actor, runs, given.project);
}

async function ingest(actor: Actor, runs: readonly object[], project: string | undefined): Promise<unknown> {
  const post =
    project === undefined
      ? runs
      : runs.map((run) => ({ ...run, session_id: undefined, session_name: project }));
  const said = await actor.send("POST /runs/batch", { body: { post } });
  if (said.answer.status >= 400)
    throw new Error(`POST /runs/batch: ${said.answer.status} ${said.answer.text}`);
  if (project === undefined) return said.body;
  const found = await actor.send(`GET /sessions?name=${encodeURIComponent(project)}`, {});
  return { session_id: valueAt(found.body, "0.id") };
}

function runsIn(file: string, beside: string): readonly object[] {
  const text = readFileSync(resolve(dirname(beside), file), "utf8");
  if (file.endsWith(".ndjson"))
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line));
  const value = JSON.parse(text) as readonly object[] | { readonly post?: readonly object[] };
  return "post" in value ? (value.post ?? []) : (value as readonly object[]);
}
