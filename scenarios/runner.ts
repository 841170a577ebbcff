import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../emulator/subjects/auth.ts";
import type { Environment, ScenarioReply, ScenarioRequest } from "./environment.ts";

/** What was asked and what came back, with the reply read as JSON where it is. */
export interface Exchange {
  readonly request: ScenarioRequest;
  readonly answer: ScenarioReply;
  readonly body: unknown;
}

/** Sends the requests of a scenario, with the key and the workspace of a fresh world unless others are given. */
export interface Runner {
  /** The latest exchange, for the account of a failure. */
  readonly last: Exchange | undefined;
  send(line: string, options: { readonly [member: string]: unknown }): Promise<Exchange>;
  /** A test-only operation that has to succeed. */
  control<T>(method: string, path: string, body?: unknown): Promise<T>;
}

/** Below it are the test-only operations. */
export const CONTROL_PATH = "/_emulator/v1";

const DEFAULT_HEADERS = {
  "content-type": "application/json",
  "x-api-key": DEFAULT_API_KEY,
  "x-tenant-id": DEFAULT_TENANT_ID,
};

/** Sends to one stage; `control` throws when its operation is refused. */
export function createRunner(environment: Environment): Runner {
  let last: Exchange | undefined;

  async function send(line: string, options: { readonly [member: string]: unknown }): Promise<Exchange> {
    const space = line.indexOf(" ");
    const request: ScenarioRequest = {
      region: options.region === "eu" ? "eu" : "us",
      method: line.slice(0, space),
      path: line.slice(space + 1).trim(),
      headers: headersFor(options.headers as ScenarioRequest["headers"] | undefined),
      body: textOf(options.body),
    };
    last = undefined;
    const answer = await environment.request(request);
    last = { request, answer, body: readBody(answer) };
    return last;
  }

  return {
    get last() {
      return last;
    },
    send,
    async control<T>(method: string, path: string, body?: unknown) {
      const reply = await send(`${method} ${CONTROL_PATH}${path}`, { body });
      const { error } = (reply.body ?? {}) as { readonly error?: { readonly message?: string } };
      if (reply.answer.status >= 400)
        throw new Error(`${method} ${CONTROL_PATH}${path}: ${reply.answer.status} ${error?.message ?? ""}`);
      return reply.body as T;
    },
  };
}

/** A header that is given as empty text is left out. */
function headersFor(options: ScenarioRequest["headers"] = {}): Record<string, string> {
  const named = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return Object.fromEntries(
    Object.entries({ ...DEFAULT_HEADERS, ...named }).filter(([, value]) => value !== ""),
  );
}

function textOf(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return typeof body === "string" ? body : JSON.stringify(body);
}

function readBody({ headers, text }: ScenarioReply): unknown {
  const isLines = headers["content-type"] === "application/x-ndjson";
  try {
    if (isLines)
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    return text === "" ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** The exchange as a line for a shell. */
export function curlLine(environment: Environment, { request }: Exchange): string {
  const { method, region, path, headers, body } = request;
  const words = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const sent = body === undefined ? [] : [`-d ${quoted(body)}`];
  const origin = region === "eu" ? environment.euUrl : environment.url;
  return ["curl", `-X ${method}`, ...words, ...sent, quoted(origin + path)].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
