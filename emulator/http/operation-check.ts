import type { Field } from "../../contracts/spec/fields.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { invalidRequest, Refusal } from "../kernel/refusal.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { Settings } from "../subjects/settings.ts";
import { type Check, checkOf } from "../validation/check.ts";
import { withDeclaredNumbers } from "../validation/declared-numbers.ts";
import { newerMembers, unknownFields } from "../validation/unknown-fields.ts";
import { readBody } from "./body.ts";
import { type Codecs, readMedia } from "./media.ts";
import { canBeEmpty, readQuery, unknownParameters } from "./query.ts";

/** The checked content of a request. */
export interface CheckedRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Names of the parameters of the query as sent, each once. */
  readonly parameters: readonly string[];
  readonly body: unknown;
  /** Unknown members that were sent, and known ones without effect. */
  readonly unknown: readonly string[];
  /** A sentence for each invalid field. */
  readonly problems: readonly string[];
}

/** A decoded body; the parts of a form are bytes, decoded by the operation. */
export interface ParsedBody {
  readonly value: unknown;
  readonly isForm?: boolean;
}

export type RequestFields = Pick<Operation, "pathParameters" | "query" | "body">;

/** A request to an operation before validation. */
export interface UncheckedRequest {
  readonly request: HttpRequest;
  readonly path: CheckedRequest["path"];
  readonly body: ParsedBody;
}

/** The validators of an operation's fields. */
export interface Checks {
  readonly path: readonly NamedCheck[];
  readonly query: readonly (NamedCheck & { readonly isOptional: boolean })[];
  readonly body: Check | undefined;
}

interface NamedCheck {
  readonly name: string;
  readonly check: Check;
}

const preparedChecks = new WeakMap<RequestFields, Checks>();

/** The query of a request, and its unknown parameters. */
interface ReadQuery {
  readonly query: CheckedRequest["query"];
  readonly parameters: readonly string[];
  readonly unknown: readonly string[];
}

const NO_QUERY: ReadQuery = { query: {}, parameters: [], unknown: [] };

/** The last query of each operation: clients that poll send the same one again and again. */
const lastQueries = new WeakMap<RequestFields, ReadQuery & { readonly text: string }>();

function queryOf(operation: RequestFields, request: HttpRequest): ReadQuery {
  const { query: text } = request;
  const last = lastQueries.get(operation);
  if (last?.text === text) return last;
  const parsedQuery = { text, ...newQueryOf(operation, sentParameters(operation, request)) };
  Object.freeze(parsedQuery.query);
  lastQueries.set(operation, parsedQuery);
  return parsedQuery;
}

/** In the query of a GET, an empty list or free text is the same as an absent one (platform.empty_query). */
function sentParameters(
  { query: fields = {} }: RequestFields,
  { method, query }: HttpRequest,
): URLSearchParams {
  const parameters = new URLSearchParams(query);
  if (method !== "GET" || !/=(&|$)/.test(query)) return parameters;
  return new URLSearchParams(
    [...parameters].filter(([name, value]) => value !== "" || !canBeEmpty(name, fields)),
  );
}

function newQueryOf({ query: fields = {} }: RequestFields, searchParams: URLSearchParams): ReadQuery {
  const parameters = [...new Set(searchParams.keys())];
  return {
    query: readQuery(searchParams, fields),
    parameters,
    unknown: unknownParameters(parameters, fields),
  };
}

/** Validates a request, with a sentence for each invalid field. */
export function checkRequest(
  fields: RequestFields,
  checks: Checks,
  { request, path, body }: UncheckedRequest,
): CheckedRequest {
  const {
    query,
    parameters,
    unknown: unknownNames,
  } = request.query === "" && !fields.query ? NO_QUERY : queryOf(fields, request);
  const problems: string[] = [];
  for (const { name, check } of checks.path) problems.push(...check(path[name], `path.${name}`));
  for (const { name, check, isOptional } of checks.query)
    if (name in query) problems.push(...check(query[name], `query.${name}`));
    else if (!isOptional) problems.push(`query.${name}: is required`);
  const bodyField = body.isForm ? undefined : fields.body;
  const value = bodyField ? withDeclaredNumbers(body.value, bodyField) : body.value;
  if (bodyField && checks.body) problems.push(...checks.body(value, "body", request.body.length));
  const unknownMembers = bodyField ? unknownFields(value, bodyField, "body") : [];
  const unknown = unknownNames.length > 0 ? [...unknownNames, ...unknownMembers] : unknownMembers;
  return { path, query, parameters, body: value, unknown, problems };
}

/** Throws `Refusal` (422) that names every invalid field, and with `strict` every unknown one. */
export function refuseInvalid(
  { requirements: [requirement], variant }: Pick<Operation, "requirements" | "variant">,
  { problems, unknown, body }: CheckedRequest,
  { strict }: Pick<Settings, "strict">,
): void {
  const newerNames = variant?.body ? newerMembers(body, variant.body, "body") : [];
  if (newerNames.length > 0)
    throw new Refusal(
      422,
      "not_emulated",
      `${newerNames.join(", ")}: newer than the specification, which the emulator follows by default.`,
      "Leave it out, or start with --profile observed (docs/understand/not-emulated.md).",
    );
  if (problems.length > 0) throw invalidRequest(problems.join("; "), undefined, requirement);
  if (strict && unknown.length > 0)
    throw new Refusal(
      422,
      "unknown_fields",
      `${unknown.join(", ")}: the emulator ignores this, so --strict refuses it.`,
      "Leave it out, or start without --strict.",
    );
}

/** The validators of an operation; undefined until compiled. */
export function checksOf(fields: RequestFields): Checks | undefined {
  return preparedChecks.get(fields);
}

/** Compiles the validators of an operation, once. */
export async function prepareChecks(fields: RequestFields): Promise<Checks> {
  const { pathParameters = {}, query = {}, body } = fields;
  const checks: Checks = {
    path: await Promise.all(
      Object.entries(pathParameters).map(async ([name, field]) => ({ name, check: await checkOf(field) })),
    ),
    query: await Promise.all(
      Object.entries(query).map(async ([name, declared]) => {
        const isOptional = "optional" in declared;
        const field = (isOptional ? declared.optional : declared) as Field<unknown>;
        return { name, isOptional, check: await checkOf(field) };
      }),
    ),
    body: body && (await checkOf(body)),
  };
  preparedChecks.set(fields, checks);
  return checks;
}

const NO_BODY: ParsedBody = { value: undefined };

/** Context for decoding a body. */
interface BodyReading {
  /** The JSON value, if it was parsed to select the operation; otherwise undefined. */
  readonly value: unknown;
  readonly settings: Settings;
  readonly codecs: Codecs;
}

/** Decodes the body; media types other than JSON are decoded asynchronously. */
export function bodyOf(
  { body, bodyMedia, keptMembers }: Operation,
  request: HttpRequest,
  { value: parsedValue, settings, codecs }: BodyReading,
): ParsedBody | Promise<ParsedBody> {
  if (!body) return NO_BODY;
  const { limits } = settings;
  if (bodyMedia) return readMedia(request, bodyMedia, limits, codecs);
  return { value: parsedValue === undefined ? readBody(request, limits, keptMembers) : parsedValue };
}
