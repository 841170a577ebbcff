import type { HttpReply, HttpRequest } from "../http/message.ts";
import { formatInstant, type Instant } from "../kernel/instant.ts";
import { type ControlOperation, control, type Lines } from "./operation.ts";

/** What the emulator was asked lately, so that a failure seen once can be played again. */
export interface Recording {
  /** Keeps a request, and its reply when it comes. */
  take(request: HttpRequest, now: Instant, reply: Promise<HttpReply>): void;
  /** The world has begun anew. */
  clear(): void;
  /** False when requests came before the oldest one that is kept. */
  readonly isComplete: boolean;
  readonly requests: readonly RecordedRequest[];
}

/** A request as it was sent, and what was answered. */
export interface RecordedRequest {
  readonly at: string;
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null when it is no text, or too long to be kept. */
  readonly body: string | null;
  readonly status: number;
  /** Null when it came bit by bit, or is too long to be kept. */
  readonly reply: string | null;
}

const MAX_REQUESTS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_TEXT_BYTES = 64 * 1024;
const KEPT_HEADERS = ["content-type", "x-api-key", "x-tenant-id", "x-user-id"];

/** Members of JSON bodies whose texts are kept from everybody. */
const SECRET = /secret|password|session_token|api_?key|authorization/i;
const KNOWN_SECRETS = new Set(["emulator-secret", "emulator-key"]);
export const LEFT_OUT = "left-out";

export function createRecording(isFresh: boolean): Recording {
  let kept: { readonly request: RecordedRequest; readonly bytes: number }[] = [];
  let bytes = 0;
  let isComplete = isFresh;
  let generation = 0;

  function keep(request: RecordedRequest): void {
    const size = (request.body?.length ?? 0) + (request.reply?.length ?? 0);
    kept.push({ request, bytes: size });
    bytes += size;
    while (kept.length > MAX_REQUESTS || bytes > MAX_BYTES) {
      bytes -= kept.shift()?.bytes ?? 0;
      isComplete = false;
    }
  }

  return {
    take(request, now, reply) {
      if (!isInput(request)) return;
      const taken = generation;
      const at = formatInstant(now);
      void reply.then(
        (answer) => taken === generation && keep(recordOf(request, at, answer)),
        () => undefined,
      );
    },
    clear() {
      kept = [];
      bytes = 0;
      isComplete = true;
      generation += 1;
    },
    get isComplete() {
      return isComplete;
    },
    get requests() {
      return kept.map(({ request }) => request);
    },
  };
}

export const RECORDING_OPERATIONS: readonly ControlOperation[] = [
  control({
    method: "GET",
    path: "/recording",
    summary: "What was asked lately, with what came back, one JSON object a line; secrets left out.",
    run: ({ recording, world }): Lines => ({ lines: linesOf(recording, world.seed) }),
  }),
];

async function* linesOf({ isComplete, requests }: Recording, seed: number): AsyncIterable<string> {
  yield `${JSON.stringify({ seed, complete: isComplete, requests: requests.length })}\n`;
  for (const request of requests) yield `${JSON.stringify(request)}\n`;
}

/** Looking at an emulator changes nothing and is not played again. */
function isInput({ method, path }: HttpRequest): boolean {
  if (path.startsWith("/_emulator/v1/")) return method !== "GET" && path !== "/_emulator/v1/reset";
  return !path.startsWith("/_emulator/") && !/^\/(ok|livez|readyz|info|openapi\.json)$/.test(path);
}

function recordOf(request: HttpRequest, at: string, { status, body: reply }: HttpReply): RecordedRequest {
  const { region, method, path, query, headers, body } = request;
  const kept = KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return {
    at,
    region,
    method,
    path,
    query,
    headers: Object.fromEntries(kept),
    body: body.length > MAX_TEXT_BYTES ? null : withoutSecrets(textOf(body)),
    status,
    reply: typeof reply === "string" && reply.length <= MAX_TEXT_BYTES ? withoutSecrets(reply) : null,
  };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function withoutSecrets(text: string | null): string | null {
  if (text === null || !SECRET.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text, hidden));
  } catch {
    return null;
  }
}

function hidden(name: string, value: unknown): unknown {
  const isSecret = typeof value === "string" && SECRET.test(name) && !name.endsWith("_id");
  return isSecret && !KNOWN_SECRETS.has(value) ? LEFT_OUT : value;
}
