import type { Judgement, Oracle } from "./oracle/oracle.ts";
import { findingLines } from "./report/pretty.ts";
import type { Region, WireReply, WireRequest } from "./target.ts";

/** Traffic that was recorded somewhere else: by a proxy, in a test, from a log. */
export interface RecordedExchange {
  readonly method: string;
  /** A whole address, or a path with its query. */
  readonly url: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** JSON values are written out; texts are taken as they are. */
  readonly requestBody?: unknown;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly region?: Region;
}

export interface ExpectOptions {
  /** Differences from our choices count too. */
  readonly strict?: boolean;
}

let oracle: Promise<Oracle> | undefined;

/** What the tables hold against an exchange: a recorded one, or the `Response` of a `fetch` with its method. */
export async function findingsIn(exchange: RecordedExchange): Promise<readonly Judgement[]> {
  oracle ??= import("./adapters/prism.ts").then(({ openOracle }) => openOracle());
  const { request, reply } = wireOf(exchange);
  return (await oracle).judge(request, reply, new Set());
}

/** Rejects with a readable account when an exchange breaks the contract. */
export async function expectContract(
  given: RecordedExchange | Response,
  options: ExpectOptions & { readonly method?: string } = {},
): Promise<void> {
  const { pass, message } = await verdictOn(given, options);
  if (!pass) throw new Error(message());
}

/** For `expect.extend(contractMatchers)`: `await expect(exchange).toKeepContract()`. */
export const contractMatchers = {
  toKeepContract: (
    given: RecordedExchange | Response,
    options: ExpectOptions & { readonly method?: string } = {},
  ) => verdictOn(given, options),
};

async function verdictOn(
  given: RecordedExchange | Response,
  { strict = false, method = "GET" }: ExpectOptions & { readonly method?: string },
) {
  const exchange = given instanceof Response ? await recorded(given, method) : given;
  const findings = await findingsIn(exchange);
  const grave = findings.filter(({ verdict }) => strict || verdict === "FAIL");
  return {
    pass: grave.length === 0,
    message: () =>
      [
        `${exchange.method} ${exchange.url} → ${exchange.status} ${grave.length === 0 ? "keeps" : "breaks"} the contract`,
        ...grave.flatMap(findingLines),
      ].join("\n"),
  };
}

/** The body is read from a copy, so that the test can still read it. */
async function recorded(response: Response, method: string): Promise<RecordedExchange> {
  const { url, status, headers } = response;
  return { method, url, status, headers: Object.fromEntries(headers), body: await response.clone().text() };
}

function wireOf(exchange: RecordedExchange): { readonly request: WireRequest; readonly reply: WireReply } {
  const { method, url, requestHeaders = {}, requestBody, status, headers, body, region = "us" } = exchange;
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "") || "/";
  const sent = requestBody === undefined ? {} : { body: textOf(requestBody) };
  return {
    request: { region, method, path, headers: lowerCased(requestHeaders), ...sent },
    reply: {
      status,
      headers: lowerCased(headers ?? { "content-type": "application/json" }),
      text: body === undefined ? "" : textOf(body),
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
