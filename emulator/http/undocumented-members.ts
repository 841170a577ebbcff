import type { Field } from "../../contracts/spec/fields.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { type MemberFinder, memberFinder } from "../../contracts/spec/undefined-members.ts";
import type { Cause } from "../kernel/commit.ts";

interface Prepared {
  readonly find: MemberFinder;
  latest: readonly string[];
}

const NOTHING: readonly string[] = [];
const preparedFields = new WeakMap<Field<unknown>, Prepared>();

/** Paths of the members of a success that the specification does not define, such as `body[].finished_at`. */
export function undocumentedMembers(
  { reply }: Operation,
  body: unknown,
  isOutcome = false,
): readonly string[] {
  const field = (isOutcome && reply.or?.body) || reply.body;
  if (!field) return NOTHING;
  const known = preparedFields.get(field) ?? prepare(field);
  const found = known.find(body);
  // Replies of one operation mostly have the same members, and the journal keeps many of them.
  if (!isSame(found, known.latest)) known.latest = found;
  return known.latest;
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

/** A symbol key, which JSON ignores, so that stored bytes do not change. */
const UNDOCUMENTED = Symbol("answered beyond the specification");

type AnnotatedCause = Cause & { [UNDOCUMENTED]?: readonly string[] };

/** Notes on the turn of a request which members of its reply are undocumented; a later turn may have answered it. */
export function noteUndocumented(cause: Cause, names: readonly string[]): void {
  (cause as AnnotatedCause)[UNDOCUMENTED] = names;
}

/** The undocumented members noted on a turn. */
export function undocumentedOf(cause: Cause): readonly string[] | undefined {
  return (cause as AnnotatedCause)[UNDOCUMENTED];
}
