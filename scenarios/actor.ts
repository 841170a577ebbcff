import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../emulator/subjects/auth.ts";
import type { Answer, Asked, Stage } from "./stage.ts";

/** What was asked and what came back, with the reply read as JSON where it is. */
export interface Exchange {
  readonly asked: Asked;
  readonly answer: Answer;
  readonly body: unknown;
}

/** Sends the requests of a scenario, with the key and the workspace of a fresh world unless others are given. */
export interface Actor {
  /** The latest exchange, for the account of a failure. */
  readonly last: Exchange | undefined;
  send(line: string, given: { readonly [member: string]: unknown }): Promise<Exchange>;
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
export function createActor(stage: Stage): Actor {
  let last: Exchange | undefined;

  async function send(line: string, given: { readonly [member: string]: unknown }): Promise<Exchange> {
    const space = line.indexOf(" ");
    const asked: Asked = {
      region: given.region === "eu" ? "eu" : "us",
      method: line.slice(0, space),
      path: line.slice(space + 1).trim(),
      headers: headersFor(given.headers as Asked["headers"] | undefined),
      body: textOf(given.body),
    };
    last = undefined;
    const answer = await stage.request(asked);
    last = { asked, answer, body: readBody(answer) };
    return last;
  }

  return {
    get last() {
      return last;
    },
    send,
    async control<T>(method: string, path: string, body?: unknown) {
      const said = await send(`${method} ${CONTROL_PATH}${path}`, { body });
      const { error } = (said.body ?? {}) as { readonly error?: { readonly message?: string } };
      if (said.answer.status >= 400)
        throw new Error(`${method} ${CONTROL_PATH}${path}: ${said.answer.status} ${error?.message ?? ""}`);
      return said.body as T;
    },
  };
}

/** A header that is given as empty text is left out. */
function headersFor(given: Asked["headers"] = {}): Record<string, string> {
  const named = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries({ ...DEFAULT_HEADERS, ...named }).filter(([, value]) => value !== ""),
  );
}

function textOf(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return typeof body === "string" ? body : JSON.stringify(body);
}

function readBody({ headers, text }: Answer): unknown {
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
export function curlLine(stage: Stage, { asked }: Exchange): string {
  const { method, region, path, headers, body } = asked;
  const words = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const sent = body === undefined ? [] : [`-d ${quoted(body)}`];
  const origin = region === "eu" ? stage.euUrl : stage.url;
  return ["curl", `-X ${method}`, ...words, ...sent, quoted(origin + path)].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
