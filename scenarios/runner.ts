import { parseExact, textOrJson } from "../contracts/spec/exact-json.ts";
import { type ControlClient, createControlClient } from "../emulator/client/control-client.ts";
import { valueOf } from "../emulator/client/send.ts";
import { quoted } from "../emulator/client/shell.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../emulator/client/values.ts";
import type { Environment, ScenarioReply, ScenarioRequest } from "./environment.ts";

/** A request and its reply, parsed where it is JSON. */
export interface Exchange {
  readonly request: ScenarioRequest;
  readonly answer: ScenarioReply;
  readonly body: unknown;
}

/** Sends the requests of a scenario, by default with the key and the workspace of a fresh world. */
export interface Runner {
  /** The latest exchange, shown in a failure. */
  readonly last: Exchange | undefined;
  /** Warnings of the emulator since the last call, such as unused fields. */
  takeWarnings(): readonly string[];
  send(line: string, options: { readonly [member: string]: unknown }): Promise<Exchange>;
  /** Control operations that have to succeed. */
  readonly control: ControlClient;
}

const DEFAULT_HEADERS = {
  "content-type": "application/json",
  "x-api-key": DEFAULT_API_KEY,
  "x-tenant-id": DEFAULT_TENANT_ID,
};

const WARNING = "x-emulator-warning";

export function createRunner(environment: Pick<Environment, "request">): Runner {
  let last: Exchange | undefined;
  let warnings: string[] = [];

  async function send(line: string, options: { readonly [member: string]: unknown }): Promise<Exchange> {
    const space = line.indexOf(" ");
    const request: ScenarioRequest = {
      region: options.region === "eu" ? "eu" : "us",
      method: line.slice(0, space),
      path: line.slice(space + 1).trim(),
      headers: headersFor(options.headers as ScenarioRequest["headers"] | undefined),
      body: options.body === undefined ? undefined : textOrJson(options.body),
    };
    // After an origin, a path such as "@example.com" would name another host.
    if (!request.path.startsWith("/")) throw new Error(`${line}: the path does not begin with /`);
    last = undefined;
    const answer = await environment.request(request);
    last = {
      request,
      answer,
      body: valueOf(answer.text, answer.headers["content-type"] ?? null, parseExact),
    };
    const warning = answer.headers[WARNING];
    if (warning !== undefined) warnings.push(warning);
    return last;
  }

  function takeWarnings(): readonly string[] {
    const warningsSoFar = warnings;
    warnings = [];
    return warningsSoFar;
  }

  return {
    get last() {
      return last;
    },
    takeWarnings,
    send,
    control: createControlClient(async (path, { method, headers, body }) => {
      const { status, headers: received, text } = (await send(`${method} ${path}`, { headers, body })).answer;
      return { status, headers: { get: (name) => received[name] ?? null }, text: async () => text };
    }),
  };
}

/** Merges headers; one given as empty text is not sent. */
function headersFor(options: ScenarioRequest["headers"] = {}): Record<string, string> {
  const headersByName = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return Object.fromEntries(
    Object.entries({ ...DEFAULT_HEADERS, ...headersByName }).filter(([, value]) => value !== ""),
  );
}

/** The request of an exchange as a shell command. */
export function curlLine(environment: Environment, { request }: Exchange): string {
  const { method, region, path, headers, body } = request;
  const words = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const bodyFlags = body === undefined ? [] : [`-d ${quoted(body)}`];
  const origin = region === "eu" ? environment.euUrl : environment.url;
  return ["curl", `-X ${method}`, ...words, ...bodyFlags, quoted(origin + path)].join(" ");
}
