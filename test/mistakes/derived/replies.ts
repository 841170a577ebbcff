import type { Operation } from "../../../contracts/spec/operation.ts";
import { mistakes, type Row } from "../row.ts";
import { answerInstead, dropReplyMembers, setReplyMembers } from "../wire.ts";
import { membersOf, routeOf, SHOWN_OPERATIONS } from "./routes.ts";

/** The specification shows these members in other replies only. */
const OPEN = /^(stopBulkExport\.|createBulkExport\.(status|source)|getBulkExport\.source)/;

function rowsOf([name, operation]: readonly [string, Operation]): readonly Row[] {
  const route = routeOf(operation);
  const members = membersOf(operation.reply.body, operation).filter(
    (member) => !member.isAssumed && !OPEN.test(`${name}.${member.name}`),
  );
  return [
    ...mistakes({ [`${operation.requirements[0]}: ${name} does not exist`]: answerInstead(route, 404) }),
    ...members.flatMap(({ name: member, about }) =>
      mistakes({
        [`${about}: ${name} replies without ${member}`]: dropReplyMembers(route, member),
        [`${about}: ${name} replies with ${member} of another type`]: setReplyMembers(route, {
          [member]: [[true]],
        }),
      }),
    ),
  ];
}

/** Each reply of the operations that the specification shows. */
export const REPLY_MISTAKES: readonly Row[] = SHOWN_OPERATIONS.flatMap(rowsOf);
