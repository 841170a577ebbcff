import { stringify } from "yaml";
import { CONTROL_PATH, createControlClient } from "../emulator/client/control-client.ts";
import { ErrorReply, sendTo } from "../emulator/client/send.ts";
import { verbatim } from "./variables.ts";

/** A request as `GET /_emulator/v1/recording` tells it. */
interface RecordedRequest {
  readonly at: string;
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly status: number;
  readonly reply: string | null;
}

interface Head {
  readonly seed: number;
  readonly complete: boolean;
  readonly settings: object;
}

type RepliedRequest = Pick<RecordedRequest, "status">;

/** The part of `GET /_emulator/v1/config` that replies depend on, and that a scenario is not told otherwise. */
interface Config {
  readonly settings: {
    readonly profile: string;
    readonly deployment: string;
    readonly rateLimits: { readonly enabled: boolean };
  };
}

/** What a running emulator was asked, as the text of a scenario. */
export interface Recorded {
  readonly text: string;
  readonly steps: number;
  /** Why it may go another way when it is played. */
  readonly warnings: readonly string[];
}

type StepText = Record<string, unknown>;

const USUAL = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const LEFT_OUT = "left-out";
const NOT_REACHED = { settled: true, reached: false };
/** Ids that stand deeper in a reply are as they were: they are the same with the same seed. */
const MAX_ID_DEPTH = 3;

/** Rejects when no emulator answers at this address. */
export async function record(url: string): Promise<Recorded> {
  const client = createControlClient(sendTo(url));
  const [head, ...requests] = (await client.recording().catch(notAnEmulator(url))) as [
    Head,
    ...RecordedRequest[],
  ];
  const { settings } = await client.config<Config>().catch(notAnEmulator(url));
  return scenarioOf({ ...head, settings: settingsFor(settings, requests) }, requests);
}

function notAnEmulator(url: string): (error: unknown) => never {
  return (error) => {
    const status = error instanceof ErrorReply ? ` (${error.status})` : "";
    throw new Error(`${url}: no emulator answers there${status}`);
  };
}

/** What a scenario must be told to go the same way; without need nothing, since a target cannot be told. */
function settingsFor(
  { profile, deployment, rateLimits }: Config["settings"],
  requests: readonly RepliedRequest[],
) {
  return {
    ...(profile !== "spec" && { profile }),
    ...(deployment !== "hosted" && { deployment }),
    ...(rateLimits.enabled &&
      requests.some(({ status }) => status === 429) && { rate_limits: { enabled: true } }),
  };
}

/** Every request as a step, with the time between them, and with variables for the ids that come back. */
function scenarioOf(head: Head, requests: readonly RecordedRequest[]): Recorded {
  const [first] = requests;
  if (first === undefined) throw new Error("it was asked nothing yet that could be played again");
  const steps: StepText[] = [];
  const ids = createIds();
  let now = first.at;
  for (const request of requests) {
    if (request.path === `${CONTROL_PATH}/clock/freeze` || request.path === `${CONTROL_PATH}/clock/flow`)
      continue;
    if (request.at > now) steps.push({ advance: { to: request.at } });
    now = request.at;
    const step = stepOf(ids.named(request));
    steps.push(step);
    now = advanceTarget(request)?.to ?? now;
    ids.learn(request, step);
  }
  const warnings = warningsOf(head, requests);
  const scenario = {
    scenario: `Recorded: ${steps.length} steps from ${first.at}`,
    seed: head.seed,
    now: first.at,
    ...(Object.keys(head.settings).length > 0 && { settings: head.settings }),
    when: steps,
  };
  const comments = warnings.map((warning) => `# ${warning}\n`).join("");
  return { text: comments + stringify(scenario, { lineWidth: 110 }), steps: steps.length, warnings };
}

function stepOf({ region, method, path, query, headers, body, status, reply }: RecordedRequest): StepText {
  const value = body === null || body === "" ? undefined : bodyToSend(body);
  const ahead = advanceTarget({ path, query, status, reply });
  if (ahead) return { advance: value, ...(ahead.reached === false && { expect: { body: NOT_REACHED } }) };
  if (status < 400 && path === `${CONTROL_PATH}/faults` && method === "POST") return { fault: value };
  const isControl = path.startsWith(`${CONTROL_PATH}/`);
  const target = `${isControl ? path.slice(CONTROL_PATH.length) : path}${query === "" ? "" : `?${query}`}`;
  const unusual = unusualHeaders(headers);
  return {
    [isControl ? "control" : "request"]: `${method} ${target}`,
    ...(region !== "us" && !isControl && { region }),
    ...(Object.keys(unusual).length > 0 && { headers: unusual }),
    ...(value !== undefined && { body: value }),
    expect: { status, ...assertableBody(reply) },
  };
}

/** Text is sent as it is, so that JSON which is one text stays in its quotes. */
function bodyToSend(body: string): unknown {
  const value = parsed(body);
  return typeof value === "string" ? body : value;
}

/** What a step has to say of its headers: a usual one that was not sent is given as empty text. */
function unusualHeaders(headers: RecordedRequest["headers"]): Readonly<Record<string, string>> {
  const { "content-type": _, ...usual } = USUAL;
  const missing = Object.keys(usual).filter((name) => headers[name] === undefined);
  const other = Object.entries(headers).filter(([name, value]) => value !== Object(USUAL)[name]);
  return Object.fromEntries([...missing.map((name) => [name, ""]), ...other]);
}

/** What people look at in a reply: the status of an export, a run, a thread. */
function assertableBody(reply: string | null): StepText {
  const value = reply === null ? undefined : parsed(reply);
  const { status } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly status?: unknown;
  };
  return typeof status === "string" ? { body: { status } } : {};
}

/** Ids that replies have given, and where; the first step that gave one is made to capture it. */
function createIds() {
  const known = new Map<
    string,
    { readonly step: StepText; readonly path: string; name: string | undefined }
  >();
  const taken = new Map<string, number>();

  function nameFor(path: string): string {
    const word =
      path
        .split(".")
        .filter((part) => !/^\d+$/.test(part))
        .at(-1)
        ?.replace(/^(?=\d)|-/g, "_") ?? "id";
    const count = (taken.get(word) ?? 0) + 1;
    taken.set(word, count);
    return `${word}_${count}`;
  }

  function named(text: string): string {
    return text.replace(UUID, (id) => {
      const found = known.get(id);
      if (found === undefined) return id;
      if (found.name === undefined) {
        found.name = nameFor(found.path);
        found.step.capture = { ...(found.step.capture as object | undefined), [found.name]: found.path };
      }
      return `\${${found.name}}`;
    });
  }

  return {
    named: (request: RecordedRequest): RecordedRequest => ({
      ...request,
      path: named(asIs(request.path)),
      query: named(asIs(request.query)),
      headers: verbatim(request.headers) as RecordedRequest["headers"],
      body: request.body === null ? null : named(asIs(request.body)),
    }),
    learn({ reply, status }: RecordedRequest, step: StepText): void {
      if (reply === null || status >= 400) return;
      for (const [id, path] of idsIn(parsed(reply), "", 0))
        if (!known.has(id)) known.set(id, { step, path, name: undefined });
    },
  };
}

/** Text that a scenario sends as it was: in JSON each text stands for itself. */
function asIs(text: string): string {
  const value = parsed(text);
  return typeof value === "object" ? JSON.stringify(verbatim(value)) : String(verbatim(text));
}

function* idsIn(value: unknown, path: string, depth: number): Iterable<readonly [string, string]> {
  if (typeof value === "string" && value.length === 36 && value.match(UUID)) yield [value, path];
  if (typeof value !== "object" || value === null || depth === MAX_ID_DEPTH) return;
  // Other names would mean something else in a path.
  for (const [name, member] of Object.entries(value))
    if (/^[\w-]+$/.test(name) && !/^-\d+$/.test(name))
      yield* idsIn(member, path === "" ? name : `${path}.${name}`, depth + 1);
}

type AdvanceRequest = Pick<RecordedRequest, "path" | "query" | "status" | "reply">;

/** What became of a call that has moved the clock, which a dry run does not. */
function advanceTarget({
  path,
  query,
  status,
  reply,
}: AdvanceRequest): { to?: string; reached?: boolean } | undefined {
  if (path !== `${CONTROL_PATH}/clock/advance` || status >= 400 || reply === null) return undefined;
  const parsedReply = parsed(reply) as { to?: string; reached?: boolean; dry_run?: boolean };
  return parsedReply.dry_run === true || new URLSearchParams(query).has("dry_run") ? undefined : parsedReply;
}

function warningsOf({ complete }: Head, requests: readonly RecordedRequest[]): readonly string[] {
  const warnings: string[] = [];
  if (!complete)
    warnings.push(
      "The emulator did not begin with the first of these requests: what came before is missing.",
    );
  const cut = requests.filter(({ body, method }) => body === null && method !== "GET").length;
  if (cut > 0) warnings.push(`${cut} bodies were too long or no text, and are missing.`);
  if (requests.some(({ query, body }) => query.includes(LEFT_OUT) || body?.includes(LEFT_OUT)))
    warnings.push(`Secrets were left out: put them where ${LEFT_OUT} stands.`);
  return warnings;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
