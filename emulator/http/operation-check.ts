import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { Field } from "../../contracts/spec/fields.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import type { Settings } from "../domain/settings.ts";
import { Refusal } from "../kernel/refusal.ts";
import { readBody } from "./body.ts";
import { type Check, checkOf } from "./check.ts";
import { type Codecs, readMedia } from "./media.ts";
import type { HttpRequest } from "./message.ts";
import { readQuery, unknownParameters } from "./query.ts";
import { unknownFields } from "./unknown-fields.ts";

/** What a request says, once it is known to fit its row. */
export interface Checked {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Members that were sent and that nothing reads. */
  readonly unknown: readonly string[];
}

/** What the check of a request works with beside its row. */
export interface CheckContext {
  readonly path: Checked["path"];
  /** The body, if it had to be read to find the row. */
  readonly read: { readonly value: unknown } | undefined;
  readonly bodyBytes: number;
  readonly codecs: Codecs;
}

/** The checks of a row, ready to be used. */
interface Checks {
  readonly path: readonly Named[];
  readonly query: readonly (Named & { readonly isOptional: boolean })[];
  readonly body: Check | undefined;
}

interface Named {
  readonly name: string;
  readonly check: Check;
}

const prepared = new WeakMap<Operation, Checks>();

const widened = new WeakMap<Operation, Operation>();

/** The row as the assumptions have it. */
export function operationUnder(operation: Operation, assumptions: Settings["assumptions"]): Operation {
  const { queryWhen } = operation;
  if (!queryWhen || assumptions[queryWhen.assumption as AssumptionId] !== queryWhen.is) return operation;
  const known = widened.get(operation);
  if (known) return known;
  const wider = { ...operation, query: { ...operation.query, ...queryWhen.query } };
  widened.set(operation, wider);
  return wider;
}

/** Reads a request by its row, or refuses it, naming every field that is wrong. */
export async function checkRequest(
  operation: Operation,
  request: HttpRequest,
  context: CheckContext,
): Promise<Checked> {
  const checks = prepared.get(operation) ?? (await prepare(operation));
  const query = readQuery(request.query, operation.query ?? {});
  const { value: body, isForm } = operation.body
    ? await bodyOf(operation, request, context)
    : { value: undefined, isForm: false };
  const problems = [
    ...checks.path.flatMap(({ name, check }) => check(context.path[name], `path.${name}`)),
    ...checks.query.flatMap(({ name, check, isOptional }) =>
      isOptional && !(name in query) ? [] : check(query[name], `query.${name}`),
    ),
    ...((!isForm && checks.body?.(body, "body")) || []),
  ];
  if (problems.length > 0) throw new Refusal(422, "invalid_request", problems.join("; "));
  const unknown = operation.body && !isForm ? unknownFields(body, operation.body, "body") : [];
  const unread = unknownParameters(request.query, operation.query ?? {});
  return { path: context.path, query, body, unknown: [...unread, ...unknown] };
}

async function prepare(operation: Operation): Promise<Checks> {
  const { pathParameters = {}, query = {}, body } = operation;
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
  prepared.set(operation, checks);
  return checks;
}

/** A form's parts are bytes, which its operation reads itself. */
async function bodyOf(
  { bodyMedia }: Operation,
  request: HttpRequest,
  { read, bodyBytes, codecs }: CheckContext,
): Promise<{ readonly value: unknown; readonly isForm: boolean }> {
  if (bodyMedia) return readMedia(request, bodyMedia, bodyBytes, codecs);
  return { value: read ? read.value : readBody(request, bodyBytes), isForm: false };
}
