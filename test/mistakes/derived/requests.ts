import type { Operation } from "../../../contracts/spec/operation.ts";
import { mistakes, type Row } from "../row.ts";
import { dropRequestMembers, rewriteQuery } from "../wire.ts";
import { membersOf, routeOf, SHOWN_OPERATIONS } from "./routes.ts";

function rowsOf([name, operation]: readonly [string, Operation]): readonly Row[] {
  const route = routeOf(operation);
  const parameters = membersOf({ properties: operation.query }, operation).map(
    (member) => [member, rewriteQuery(route, (query) => query.delete(member.name))] as const,
  );
  const members = membersOf(operation.body, operation).map(
    (member) => [member, dropRequestMembers(route, member.name)] as const,
  );
  return [...parameters, ...members].flatMap(([member, send]) =>
    member.isAssumed ? [] : mistakes({ [`${member.about}: ${name} ignores ${member.name}`]: send }),
  );
}

const STARTS = ["POST", /\/runs(\/(stream|wait|crons))?$/] as const;

/** Each parameter and member of the requests that the specification shows. */
export const REQUEST_MISTAKES: readonly Row[] = [
  // What starts runs has the same members everywhere.
  ...SHOWN_OPERATIONS.filter(([, { requirements }]) => !requirements.includes("4.8-1")).flatMap(rowsOf),
  ...["assistant_id", "input", "webhook"].flatMap((member) =>
    mistakes({ [`4.8-2 6-1 1-4: starting a run ignores ${member}`]: dropRequestMembers(STARTS, member) }),
  ),
];
