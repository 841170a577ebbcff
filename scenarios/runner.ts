import { type ControlClient, createControlClient } from "../emulator/client/control-client.ts";
import { valueOf } from "../emulator/client/send.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../emulator/client/values.ts";
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
  /** Test-only operations that have to succeed. */
  readonly control: ControlClient;
}

const DEFAULT_HEADERS = {
  "content-type": "application/json",
  "x-api-key": DEFAULT_API_KEY,
  "x-tenant-id": DEFAULT_TENANT_ID,
};

/** Sends to one environment. */
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
    last = { request, answer, body: valueOf(answer.text, answer.headers["content-type"] ?? null) };
    return last;
  }

  return {
    get last() {
      return last;
    },
    send,
    control: createControlClient(async (path, { method, headers, body }) => {
      const { status, headers: received, text } = (await send(`${method} ${path}`, { headers, body })).answer;
      return { status, headers: { get: (name) => received[name] ?? null }, text: async () => text };
    }),
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
