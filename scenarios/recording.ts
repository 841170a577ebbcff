import { stringify } from "yaml";
import { CONTROL_PATH } from "./actor.ts";

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
  const reply = await fetch(`${url}${CONTROL_PATH}/recording`).catch(() => undefined);
  if (!reply?.ok) throw new Error(`${url}: no emulator answers there${reply ? ` (${reply.status})` : ""}`);
  const [head, ...requests] = (await reply.text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return scenarioOf(head as Head, requests as readonly RecordedRequest[]);
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
    now = movedTo(request)?.to ?? now;
    ids.learn(request, step);
  }
  const warnings = warningsOf(head, requests);
  const scenario = {
    scenario: `Recorded: ${steps.length} steps from ${first.at}`,
    seed: head.seed,
    now: first.at,
    when: steps,
  };
  const comments = warnings.map((warning) => `# ${warning}\n`).join("");
  return { text: comments + stringify(scenario, { lineWidth: 110 }), steps: steps.length, warnings };
}

function stepOf({ region, method, path, query, headers, body, status, reply }: RecordedRequest): StepText {
  const value = body === null || body === "" ? undefined : parsed(body);
  const ahead = movedTo({ path, query, status, reply });
  if (ahead) return { advance: value, ...(ahead.reached === false && { expect: { body: NOT_REACHED } }) };
  if (status < 400 && path === `${CONTROL_PATH}/faults` && method === "POST") return { fault: value };
  const isControl = path.startsWith(`${CONTROL_PATH}/`);
  const target = `${isControl ? path.slice(CONTROL_PATH.length) : path}${query === "" ? "" : `?${query}`}`;
  const unusual = Object.entries(USUAL).flatMap(([name, usual]) =>
    headers[name] === usual
      ? []
      : headers[name] === undefined
        ? name === "content-type"
          ? []
          : [[name, ""]]
        : [[name, headers[name]]],
  );
  return {
    [isControl ? "control" : "request"]: `${method} ${target}`,
    ...(region !== "us" && !isControl && { region }),
    ...(unusual.length > 0 && { headers: Object.fromEntries(unusual) }),
    ...(value !== undefined && { body: value }),
    expect: { status, ...tellingPart(reply) },
  };
}

/** What people look at in a reply: the status of an export, a run, a thread. */
function tellingPart(reply: string | null): StepText {
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
        .at(-1) ?? "id";
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
      path: named(request.path),
      query: named(request.query),
      body: request.body === null ? null : named(request.body.replaceAll("${", "$${")),
    }),
    learn({ reply, status }: RecordedRequest, step: StepText): void {
      if (reply === null || status >= 400) return;
      for (const [id, path] of idsIn(parsed(reply), "", 0))
        if (!known.has(id)) known.set(id, { step, path, name: undefined });
    },
  };
}

function* idsIn(value: unknown, path: string, depth: number): Iterable<readonly [string, string]> {
  if (typeof value === "string" && value.length === 36 && value.match(UUID)) yield [value, path];
  if (typeof value !== "object" || value === null || depth === MAX_ID_DEPTH) return;
  for (const [name, member] of Object.entries(value))
    yield* idsIn(member, path === "" ? name : `${path}.${name}`, depth + 1);
}

type Moving = Pick<RecordedRequest, "path" | "query" | "status" | "reply">;

/** What became of a call that has moved the clock, which a dry run does not. */
function movedTo({ path, query, status, reply }: Moving): { to?: string; reached?: boolean } | undefined {
  if (path !== `${CONTROL_PATH}/clock/advance` || status >= 400 || reply === null) return undefined;
  const said = parsed(reply) as { to?: string; reached?: boolean; dry_run?: boolean };
  return said.dry_run === true || new URLSearchParams(query).has("dry_run") ? undefined : said;
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
