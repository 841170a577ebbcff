import type { Field, OptionalField } from "../../contracts/spec/fields.ts";
import type { Operation, Parameters } from "../../contracts/spec/operation.ts";
import { type MemberFinder, memberFinder } from "../../contracts/spec/undefined-members.ts";
import type { Cause } from "../kernel/commit.ts";
import type { CheckedRequest } from "./operation-check.ts";

interface Prepared {
  readonly find: MemberFinder;
  latest: readonly string[];
}

const NOTHING: readonly string[] = [];
const preparedFields = new WeakMap<Field<unknown>, Prepared>();

/** Paths of the members of a success that the specification does not define, such as `body[].finished_at`. */
export function undocumentedInReply(
  { reply }: Operation,
  body: unknown,
  isOutcome = false,
): readonly string[] {
  const field = (isOutcome && reply.or?.body) || reply.body;
  if (!field) return NOTHING;
  const finder = preparedFields.get(field) ?? prepare(field);
  const members = finder.find(body);
  // Replies of one operation mostly have the same members, and the journal keeps many of them.
  if (!isSame(members, finder.latest)) finder.latest = members;
  return finder.latest;
}

function prepare(field: Field<unknown>): Prepared {
  const prepared = { find: memberFinder(field, true), latest: NOTHING };
  preparedFields.set(field, prepared);
  return prepared;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** Members of a request to an operation that the specification shows, which it does not define. */
export function undocumentedInRequest(
  { shown, body: field, query = {} }: Operation,
  { body, parameters }: Pick<CheckedRequest, "body" | "parameters">,
): readonly string[] {
  if (!shown) return NOTHING;
  const members = field ? (preparedFields.get(field) ?? prepare(field)).find(body) : NOTHING;
  if (parameters.length === 0) return members;
  const ownParameters = parameters.filter((name) => isOurs(query[name]));
  return ownParameters.length > 0 ? [...ownParameters.map((name) => `query.${name}`), ...members] : members;
}

function isOurs(parameter: Parameters[string] | undefined): boolean {
  const { optional: field } = (parameter ?? {}) as Partial<OptionalField<unknown>>;
  return field?.["x-beyond"] === true;
}

/** What a request and its reply have that the specification does not define. */
export interface Undocumented {
  readonly request: readonly string[];
  readonly reply: readonly string[];
}

/** A symbol key, which JSON ignores, so that stored bytes do not change. */
const UNDOCUMENTED = Symbol("beyond the specification");

type AnnotatedCause = Cause & { [UNDOCUMENTED]?: Undocumented };

/** Notes on the turn of a request what is undocumented of it; a later turn may have answered it. */
export function noteUndocumented(cause: Cause, undocumented: Undocumented): void {
  if (undocumented.request.length + undocumented.reply.length > 0)
    (cause as AnnotatedCause)[UNDOCUMENTED] = undocumented;
}

/** What is undocumented of a turn. */
export function undocumentedOf(cause: Cause): Undocumented | undefined {
  return (cause as AnnotatedCause)[UNDOCUMENTED];
}
