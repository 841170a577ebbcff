import type { Field, Fields } from "../../../contracts/spec/fields.ts";
import type { Operation } from "../../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../../contracts/spec/operations.ts";
import type { Route } from "../wire.ts";

/** The operations that the specification shows. */
export const SHOWN_OPERATIONS = Object.entries<Operation>(OPERATIONS).filter(([, { shown }]) => shown);

/** The requests of an operation, at each of its paths. */
export function routeOf({ method, path, alsoAt = [] }: Operation): Route {
  const patterns = [path, ...alsoAt].map((each) => each.replace(/\{\w+\}/g, "[^/?]+"));
  return [method, new RegExp(`^(${patterns.join("|")})(\\?|$)`)];
}

/** A member of a body, as the tables describe it. */
export interface Member {
  readonly name: string;
  /** The specification does not define it. */
  readonly isAssumed: boolean;
  /** The requirements of the member and of its operation. */
  readonly about: string;
}

/** The members of an object, or of the items of a list. */
export function membersOf(schema: Field<unknown> | undefined, operation: Operation): readonly Member[] {
  const object = (schema?.items ?? schema) as { readonly properties?: Fields };
  return Object.entries(object?.properties ?? {}).map(([name, field]) => {
    const member = (field.optional ?? field) as Field<unknown>;
    const own = member["x-requirement"] === undefined ? [] : [member["x-requirement"]];
    return { name, isAssumed: "x-beyond" in member, about: [...own, ...operation.requirements].join(" ") };
  });
}
