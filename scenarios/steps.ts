import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseExact } from "../contracts/spec/exact-json.ts";
import { CONTROL_PATH } from "../emulator/client/control-client.ts";
import { linesOf } from "../emulator/client/send.ts";
import { parseUntil } from "../emulator/client/until.ts";
import type { GivenStep, Verb } from "./definition.ts";
import type { Step } from "./document.ts";
import { differences, shownValue } from "./matching.ts";
import { type Observation, worldDifferences } from "./observation.ts";
import { ABSENT, valueAt } from "./paths.ts";
import type { Exchange, Runner } from "./runner.ts";
import { filled, type Variables } from "./variables.ts";

/** The context shared by the steps of one scenario. */
export interface StepContext {
  readonly runner: Runner;
  readonly observation: Observation;
  readonly variables: Variables;
  /** The steps that have armed faults, by the ids of these. */
  readonly armed: Map<string, Step>;
}

type SimpleVerb = Exclude<Verb, "repeat" | "include">;

/** Runs a step; resolves with the differences from its expectation. */
export async function performStep(context: StepContext, step: Step): Promise<string[]> {
  const handler = STEP_HANDLERS[step.verb as SimpleVerb] as (
    context: StepContext,
    input: GivenStep,
    step: Step,
  ) => Promise<string[]>;
  return handler(context, filled(step.given, context.variables), step);
}

const STEP_HANDLERS: {
  readonly [V in SimpleVerb]: (context: StepContext, input: GivenStep<V>, step: Step) => Promise<string[]>;
} = {
  async request(context, input) {
    return checkReply(context, input, await context.runner.send(input.request, input));
  },
  async control(context, input) {
    const space = input.control.indexOf(" ");
    const line = `${input.control.slice(0, space)} ${CONTROL_PATH}${input.control.slice(space + 1)}`;
    return checkReply(context, input, await context.runner.send(line, input));
  },
  async advance(context, input) {
    const target = typeof input.advance === "string" ? { by: input.advance } : input.advance;
    const body = "next" in target ? { ...target, next: Number(target.next) } : target;
    const exchange = await context.runner.send(`POST ${CONTROL_PATH}/clock/advance`, { body });
    const isCondition = target.until !== undefined && "until" in (parseUntil(target.until) ?? {});
    const usual = { body: { settled: true, ...(isCondition && { reached: true }) } };
    return checkReply(context, { ...input, expect: input.expect ?? usual }, exchange);
  },
  async fault(context, input, step) {
    const exchange = await context.runner.send(`POST ${CONTROL_PATH}/faults`, { body: input.fault });
    const { id } = (exchange.body ?? {}) as { readonly id?: string };
    if (id !== undefined) context.armed.set(id, step);
    return checkReply(context, input, exchange);
  },
  async seed(context, input, step) {
    const value = await seed(context, input.seed, step);
    return capture(context, input.capture, value);
  },
  expect: (context, input) =>
    worldDifferences(
      context.observation,
      input.expect as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
    ),
};

interface ExpectedReply {
  readonly expect?: { readonly status?: unknown; readonly headers?: unknown; readonly body?: unknown };
  readonly capture?: Readonly<Record<string, string>>;
  readonly collect?: Readonly<Record<string, string>>;
}

/** Compares a reply with its expectation and captures variables from it. */
function checkReply(context: StepContext, input: ExpectedReply, exchange: Exchange): string[] {
  const { answer, body } = exchange;
  const { status, headers, body: expectedBody } = input.expect ?? {};
  const differenceLines = [
    ...(status === undefined ? failureOf(answer.status, body) : differences(status, answer.status, "status")),
    ...(headers === undefined ? [] : differences(inLowerCase(headers), answer.headers, "headers")),
    ...(expectedBody === undefined ? [] : differences(expectedBody, body, "body")),
  ];
  if (differenceLines.length > 0) return differenceLines;
  const valueOf = (path: string) => replyValueAt(exchange, path);
  return [...capture(context, input.capture, body, valueOf), ...collect(context, input.collect, valueOf)];
}

/** A member of the body by its path, or a header: `headers.retry-after`. */
function replyValueAt({ answer, body }: Exchange, path: string): unknown {
  const [, name] = /^headers\.(.+)$/.exec(path) ?? [];
  return name === undefined ? valueAt(body, path) : (answer.headers[name.toLowerCase()] ?? ABSENT);
}

/** Names of headers are the same in any case; replies have them in lower case. */
function inLowerCase(headers: unknown): unknown {
  return Object.fromEntries(
    Object.entries(headers as object).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function failureOf(status: number, body: unknown): string[] {
  return status < 400 ? [] : [`status: expected a success, found ${status} ${shownValue(body)}`];
}

function capture(
  { variables }: StepContext,
  captures: Readonly<Record<string, string>> = {},
  value: unknown,
  valueOf = (path: string) => valueAt(value, path),
): string[] {
  return Object.entries(captures).flatMap(([name, path]) => {
    const capturedValue = valueOf(path);
    if (capturedValue === ABSENT)
      return [`${path}: not found in ${shownValue(value)}, so ${name} cannot be set`];
    variables[name] = capturedValue;
    return [];
  });
}

function collect(
  { variables }: StepContext,
  captures: Readonly<Record<string, string>> = {},
  valueOf: (path: string) => unknown,
): string[] {
  for (const [name, path] of Object.entries(captures)) {
    const capturedValue = valueOf(path);
    const list = Array.isArray(variables[name]) ? (variables[name] as readonly unknown[]) : [];
    if (capturedValue !== ABSENT) variables[name] = [...list, ...[capturedValue].flat()];
  }
  return [];
}

type Seed = GivenStep<"seed">["seed"];

/** Creates data in one or several ways; resolves with the reply of the last. */
async function seed(
  { runner, observation: { control } }: StepContext,
  input: Seed,
  { place: location }: Step,
): Promise<unknown> {
  let value: unknown = {};
  if (input.bucket !== undefined) value = await control.objectStorage.createBucket(input.bucket);
  if (input.credential !== undefined) value = await control.objectStorage.createCredential(input.credential);
  if (input.traces !== undefined) value = await control.call("POST", "/traces/generate", input.traces);
  const runs = [
    ...(input.runs ?? []),
    ...(input.file === undefined ? [] : runsIn(input.file, location.file)),
  ];
  return runs.length === 0 ? value : ingest(runner, runs, input.project);
}

async function ingest(
  runner: Runner,
  runs: readonly object[],
  project: string | undefined,
): Promise<unknown> {
  const post =
    project === undefined
      ? runs
      : runs.map((run) => ({ ...run, session_id: undefined, session_name: project }));
  const exchange = await runner.send("POST /runs/batch", { body: { post } });
  if (exchange.answer.status >= 400)
    throw new Error(`POST /runs/batch: ${exchange.answer.status} ${exchange.answer.text}`);
  if (project === undefined) return exchange.body;
  const projectReply = await runner.send(`GET /sessions?name=${encodeURIComponent(project)}`, {});
  return { session_id: valueAt(projectReply.body, "0.id") };
}

function runsIn(file: string, scenarioFile: string): readonly object[] {
  const text = readFileSync(resolve(dirname(scenarioFile), file), "utf8");
  if (file.endsWith(".ndjson")) return linesOf(text, parseExact) as readonly object[];
  const value = parseExact(text) as readonly object[] | { readonly post?: readonly object[] };
  return "post" in value ? (value.post ?? []) : (value as readonly object[]);
}
