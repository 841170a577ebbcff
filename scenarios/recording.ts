import { stringify } from "yaml";
import { jsonOrText } from "../contracts/engine/json.ts";
import { parseExact, printExact } from "../contracts/spec/exact-json.ts";
import {
  CONTROL_PATH,
  createControlClient,
  type RecordedRequest,
  type RecordingHeader,
} from "../emulator/client/control-client.ts";
import { NoReply } from "../emulator/client/send.ts";
import { sendOverHttp } from "../emulator/client/send-over-http.ts";
import { gapsOf, warningsOf } from "./recording-gaps.ts";
import { verbatim } from "./variables.ts";

/** What an emulator has recorded. */
export interface RecordedWorld {
  readonly header: RecordingHeader;
  readonly requests: readonly RecordedRequest[];
  /** The settings that a scenario needs. */
  readonly settings: object;
  /** Addresses of the emulator, by the variable that replaces them. */
  readonly addresses: ReadonlyMap<string, string>;
}

type RepliedRequest = Pick<RecordedRequest, "status">;

/** The settings in `GET /_emulator/v1/config` that affect replies and have to be in the scenario. */
interface Config {
  readonly settings: {
    readonly profile: string;
    readonly deployment: string;
    /** Milliseconds since 1970. */
    readonly legacyEnd?: number | null;
    readonly rateLimits: { readonly enabled: boolean };
  };
}

/** The requests that a running emulator received, as the text of a scenario. */
export interface Recorded {
  readonly text: string;
  readonly steps: number;
  /** What a replay cannot repeat, and what to do about it. */
  readonly gaps: readonly string[];
  /** Reasons why a replay may differ. */
  readonly warnings: readonly string[];
}

type StepText = Record<string, unknown>;

const USUAL = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const NOT_REACHED = { settled: true, reached: false };
/** Depth to which ids in replies become variables; deeper ones are equal for an equal seed. */
const MAX_ID_DEPTH = 3;

/** The requests that an emulator has recorded, as a scenario. Rejects when none answers at this address. */
export async function record(url: string): Promise<Recorded> {
  return recordedScenario(await readRecording(url));
}

/** Rejects when no emulator answers at this address. */
export async function readRecording(url: string): Promise<RecordedWorld> {
  const client = createControlClient(sendOverHttp(url));
  const [header, ...requests] = await client.recording().catch(notAnEmulator(url));
  const { settings } = await client.config<Config>().catch(notAnEmulator(url));
  const { url: ownUrl, eu_url, s3_url } = await client.status();
  const addresses = new Map([
    ["url", ownUrl],
    ["eu_url", eu_url],
    ["s3_url", s3_url],
  ]);
  return { header, requests, settings: settingsFor(settings, requests), addresses };
}

function notAnEmulator(url: string): () => never {
  return () => {
    throw new NoReply(url);
  };
}

/** The seed, time and settings that a scenario needs; omitted where default, since a target cannot change them. */
function settingsFor(
  { profile, deployment, rateLimits, legacyEnd }: Config["settings"],
  requests: readonly RepliedRequest[],
) {
  return {
    ...(profile !== "spec" && { profile }),
    ...(deployment !== "hosted" && { deployment }),
    ...(legacyEnd != null && { legacy_end: new Date(legacyEnd).toISOString() }),
    ...(rateLimits.enabled &&
      requests.some(({ status }) => status === 429) && { rate_limits: { enabled: true } }),
  };
}

/**
 * Converts requests to steps, with clock moves between them and variables for returned ids. `snapshotTime`: the time of
 * the snapshot that the scenario starts from, if it has one. Throws when there is no request.
 */
export function recordedScenario(
  { header, requests, settings, addresses }: RecordedWorld,
  snapshotTime?: string,
): Recorded {
  const [first] = requests;
  if (first === undefined)
    throw new Error("the emulator has received no request that can be replayed; send requests first");
  const steps: StepText[] = [];
  const ids = createIds(addresses);
  // The clock of the snapshot may have passed the first request.
  const from = snapshotTime !== undefined && snapshotTime > first.at ? snapshotTime : first.at;
  let now = from;
  for (const request of requests) {
    if (request.path === `${CONTROL_PATH}/clock/freeze` || request.path === `${CONTROL_PATH}/clock/flow`)
      continue;
    if (request.at > now) {
      steps.push({ advance: { to: request.at } });
      now = request.at;
    }
    const step = stepOf(ids.named(request));
    steps.push(step);
    now = advanceTarget(request)?.to ?? now;
    ids.learn(request, step);
  }
  const gaps = gapsOf(header, requests, snapshotTime !== undefined);
  const warnings = warningsOf(requests);
  const scenario = {
    scenario: `Recorded: ${steps.length} steps from ${from}`,
    seed: header.seed,
    now: from,
    ...(Object.keys(settings).length > 0 && { settings }),
    when: steps,
  };
  const comments = [...gaps, ...warnings].map((warning) => `# ${warning}\n`).join("");
  const text = comments + stringify(scenario, { lineWidth: 110 });
  return { text, steps: steps.length, gaps, warnings };
}

function stepOf({ region, method, path, query, headers, body, status, reply }: RecordedRequest): StepText {
  const value = body === null || body === "" ? undefined : bodyToSend(body);
  if (typeof value === "object") {
    const ahead = advanceTarget({ path, status, reply });
    if (ahead) return { advance: value, ...(ahead.reached === false && { expect: { body: NOT_REACHED } }) };
    if (status < 400 && path === `${CONTROL_PATH}/faults` && method === "POST") return { fault: value };
  }
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

/**
 * Text is sent unchanged, so a body that is a JSON string keeps its quotes, and one that JavaScript cannot represent keeps its
 * digits and the order of its members.
 */
function bodyToSend(body: string): unknown {
  const value = jsonOrText(body);
  return typeof value === "string" || JSON.stringify(value) !== printExact(parseExact(body)) ? body : value;
}

/** The headers of a step; a default header that was not sent is given as empty text. */
function unusualHeaders(headers: RecordedRequest["headers"]): Readonly<Record<string, string>> {
  const { "content-type": _, ...usual } = USUAL;
  const missingNames = Object.keys(usual).filter((name) => headers[name] === undefined);
  const otherHeaders = Object.entries(headers).filter(([name, value]) => value !== Object(USUAL)[name]);
  return Object.fromEntries([...missingNames.map((name) => [name, ""]), ...otherHeaders]);
}

/** Members of a reply to compare: the status of an export, a run, a thread. */
function assertableBody(reply: string | null): StepText {
  const value = reply === null ? undefined : jsonOrText(reply);
  const { status } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly status?: unknown;
  };
  return typeof status === "string" ? { body: { status } } : {};
}

/** Ids found in replies and their places; the first step that returned an id captures it. */
function createIds(addresses: RecordedWorld["addresses"]) {
  const withoutAddresses = addressesReplaced(addresses);
  const names = new Map<
    string,
    { readonly step: StepText; readonly path: string; name: string | undefined }
  >();
  const counts = new Map<string, number>();

  function nameFor(path: string): string {
    const word =
      path
        .split(".")
        .filter((part) => !/^\d+$/.test(part))
        .at(-1)
        ?.replace(/^(?=\d)|-/g, "_") ?? "id";
    const count = (counts.get(word) ?? 0) + 1;
    counts.set(word, count);
    return `${word}_${count}`;
  }

  function named(text: string): string {
    return text.replace(UUID, (id) => {
      const origin = names.get(id);
      if (origin === undefined) return id;
      if (origin.name === undefined) {
        origin.name = nameFor(origin.path);
        origin.step.capture = { ...(origin.step.capture as object | undefined), [origin.name]: origin.path };
      }
      return `\${${origin.name}}`;
    });
  }

  return {
    named: (request: RecordedRequest): RecordedRequest => ({
      ...request,
      path: named(asIs(request.path)),
      query: named(asIs(request.query)),
      headers: verbatim(request.headers) as RecordedRequest["headers"],
      body: request.body === null ? null : named(withoutAddresses(asIs(request.body))),
    }),
    learn({ reply, status }: RecordedRequest, step: StepText): void {
      if (reply === null || status >= 400) return;
      for (const [id, path] of idsIn(jsonOrText(reply), "", 0))
        if (!names.has(id)) names.set(id, { step, path, name: undefined });
    },
  };
}

/** Replaces addresses of the emulator with variables: a replay has other ports. */
function addressesReplaced(addresses: RecordedWorld["addresses"]): (text: string) => string {
  const patterns = [...addresses].map(([name, address]) => {
    const pattern = address
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace("127\\.0\\.0\\.1", "(?:127\\.0\\.0\\.1|localhost)");
    return [new RegExp(`${pattern}(?![\\w.-])`, "g"), `\${${name}}`] as const;
  });
  return (text) =>
    patterns.reduce((result, [pattern, variable]) => result.replace(pattern, () => variable), text);
}

/** Text escaped for a scenario, so that it is sent unchanged. */
function asIs(text: string): string {
  if (typeof jsonOrText(text) !== "object") return String(verbatim(text));
  return printExact(verbatim(parseExact(text)));
}

function* idsIn(value: unknown, path: string, depth: number): Iterable<readonly [string, string]> {
  if (typeof value === "string" && value.length === 36 && value.match(UUID)) yield [value, path];
  if (typeof value !== "object" || value === null || depth === MAX_ID_DEPTH) return;
  // Other names are not valid in a path.
  for (const [name, member] of Object.entries(value))
    if (/^[\w-]+$/.test(name) && !/^-\d+$/.test(name))
      yield* idsIn(member, path === "" ? name : `${path}.${name}`, depth + 1);
}

type AdvanceRequest = Pick<RecordedRequest, "path" | "status" | "reply">;

/** The effect of a call that moved the clock. */
function advanceTarget({
  path,
  status,
  reply,
}: AdvanceRequest): { to?: string; reached?: boolean } | undefined {
  if (path !== `${CONTROL_PATH}/clock/advance` || status >= 400 || reply === null) return undefined;
  return jsonOrText(reply) as { to?: string; reached?: boolean };
}
