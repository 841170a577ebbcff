import type { WireReply, WireRequest } from "../engine/http-message.ts";
import { isMembers, jsonOrText } from "../engine/json.ts";
import { checkReply, type Diagnostic, firstOf, nonStrict } from "../engine/oracle/check-reply.ts";
import type { Oracle, OracleFinding, ParsedExchange } from "../engine/oracle/oracle.ts";
import { readForm } from "../engine/oracle/reply-form.ts";
import { checkRequestRules } from "../engine/oracle/request-rules.ts";
import { leaks } from "../engine/oracle/secrets.ts";
import type { Profile } from "../engine/profile.ts";
import type { Operation } from "../spec/operation.ts";
import { OPERATIONS } from "../spec/operations.ts";
import { createRouter, type Found, segmentsBeforeSlash } from "../spec/path.ts";

/** A method and a template of paths, with the rows that they lead to: where there are two, the body decides. */
export interface Endpoint {
  readonly method: Operation["method"];
  readonly path: string;
  readonly rows: readonly [Operation, ...Operation[]];
}

/** A request with what was read from it. */
export interface ReadRequest extends Pick<WireRequest, "headers"> {
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The body as sent. */
  readonly text: string | undefined;
  readonly body: unknown;
}

/** A reply with what was read from it. */
export interface ReadReply extends Pick<WireReply, "status" | "headers"> {
  /** Without its parameters; undefined when it is none. */
  readonly media: string | undefined;
  readonly body: unknown;
}

/** Compares messages with what the operations of an endpoint say of them. */
export interface Validator {
  reply(reply: ReadReply): readonly Diagnostic[];
  request(request: ReadRequest): readonly Diagnostic[];
}

type ValidatorOf = (endpoint: Endpoint) => Validator | Promise<Validator>;

const ENDPOINTS = createRouter(() => {
  const endpoints = new Map<string, Endpoint>();
  for (const row of Object.values<Operation>(OPERATIONS))
    for (const path of [row.path, ...(row.alsoAt ?? [])]) {
      const [first] = endpoints.get(`${row.method} ${path}`)?.rows ?? [];
      endpoints.set(`${row.method} ${path}`, {
        method: row.method,
        path,
        rows: first ? [first, row] : [row],
      });
    }
  return [...endpoints.values()].map((endpoint) => ({
    methods: [endpoint.method],
    path: endpoint.path,
    row: endpoint,
  }));
});

/** The endpoint that a request is for; undefined when it is for none of this API. */
export function endpointOf({ method, path }: Pick<WireRequest, "method" | "path">) {
  const endpoint: Found<Endpoint> = ENDPOINTS.find(method, segmentsBeforeSlash(path.split("?", 1)[0] ?? ""));
  return endpoint && "row" in endpoint ? endpoint : undefined;
}

/** Checks against the tables, and adds the findings of a validator. */
export function createOracle(validatorOf: ValidatorOf, profile: Profile): Oracle {
  return {
    async check(request, reply, secrets) {
      const endpoint = endpointOf(request);
      const exchange = parseExchange(request, reply, profile);
      if (!endpoint || !exchange || reply.status === 501) return leaks(request, reply, secrets);
      const { row, requestBody, body } = exchange;
      const validator = await validatorOf(endpoint.row);
      const isGood = reply.status === row.reply.status;
      const isStream = isGood && row.reply.media !== undefined;
      const parsedReply = {
        status: reply.status,
        headers: reply.headers,
        media: mediaOf(reply.headers),
        body,
      };
      const diagnostics = isStream ? [] : validator.reply(parsedReply);
      return [
        ...checkReply(row, reply, body, diagnostics, profile),
        ...(isGood
          ? ofCaller(
              row,
              validator.request({ ...readRequest(request, endpoint.parameters), body: requestBody }),
            )
          : []),
        ...checkRequestRules(exchange),
        ...leaks(request, reply, secrets),
      ];
    },
    readForm(request, reply) {
      const exchange = parseExchange(request, reply, profile);
      if (!exchange || reply.status >= 300 || !exchange.row.reply.body) return undefined;
      return readForm(exchange.row.reply.body, exchange.body);
    },
  };
}

/** Finds the operation of an exchange and parses its parameters and bodies; undefined when this API has no such operation. */
export function parseExchange(
  request: WireRequest,
  { status, text }: Pick<WireReply, "status" | "text">,
  profile: Profile,
): ParsedExchange | undefined {
  const endpoint = endpointOf(request);
  if (!endpoint) return undefined;
  const requestBody = bodyOf(request.body);
  const { query, pathParameters } = readRequest(request, endpoint.parameters);
  return {
    row: rowOf(endpoint.row, requestBody),
    pathParameters,
    query,
    requestBody,
    status,
    body: bodyOf(text),
    profile,
  };
}

/** Opens an oracle once for each profile: what it has prepared serves all who ask for it. */
export function oncePerProfile(
  open: (profile: Profile) => Promise<Oracle>,
): (profile?: Profile) => Promise<Oracle> {
  const oracles = new Map<Profile, Promise<Oracle>>();
  return (profile = "spec") => {
    const oracle = oracles.get(profile) ?? open(profile);
    oracles.set(profile, oracle);
    return oracle;
  };
}

/** Findings about a request that was accepted although it violates the document; the caller's mistake. */
function ofCaller(row: Operation, diagnostics: readonly Diagnostic[]): readonly OracleFinding[] {
  return diagnostics.map(({ message }) => ({
    ...nonStrict(firstOf(row), `the request does not conform to the OpenAPI document: ${message}`),
    blame: "caller",
  }));
}

function readRequest(
  { path, headers, body }: WireRequest,
  pathParameters: ReadRequest["pathParameters"],
): Omit<ReadRequest, "body"> {
  const [bare = "", search = ""] = path.split("?");
  return { path: bare, headers, pathParameters, query: queryOf(search), text: body };
}

function rowOf({ rows: [first, second] }: Endpoint, body: unknown): Operation {
  if (!second) return first;
  const [special, usual] = first.when ? [first, second] : [second, first];
  return matchesBody(special, body) ? special : usual;
}

function matchesBody({ when }: Operation, body: unknown): boolean {
  if (when?.body === "array") return Array.isArray(body);
  return when?.body === "object" && isMembers(body) && when.member in body;
}

function bodyOf(text = ""): unknown {
  return text === "" ? undefined : jsonOrText(text);
}

/** The media type of a message, without its parameters; undefined when it names none. */
export function mediaOf(headers: WireReply["headers"]): string | undefined {
  const [media = ""] = (headers["content-type"] ?? "").split(";", 1);
  return /^[\w.+-]+\/[\w.+-]+$/.test(media.trim()) ? media.trim().toLowerCase() : undefined;
}

function queryOf(search: string): ReadRequest["query"] {
  const query: Record<string, string | string[]> = {};
  if (search === "") return query;
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}
