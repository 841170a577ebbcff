import { conforming, type Row, type SendWrapper } from "../row.ts";
import { combine, dropReplyMembers, type Route, renameMembers, setReplyMembers } from "../wire.ts";
import { membersOf, routeOf, SHOWN_OPERATIONS } from "./routes.ts";

/** A change of the reply of each operation that the specification shows; `names` are the members that it does not. */
function inEachReply(change: (route: Route, names: readonly string[]) => SendWrapper): SendWrapper {
  const changes = SHOWN_OPERATIONS.flatMap(([, operation]) => {
    const members = membersOf(operation.reply.body, operation);
    const assumed = members.filter(({ isAssumed }) => isAssumed).map(({ name }) => name);
    // A selection of members has no others.
    return members.length === 0 || "select" in (operation.query ?? {})
      ? []
      : [change(routeOf(operation), assumed)];
  });
  return combine(...changes);
}

/** A name by which a reader still knows what the member is. */
const otherName = (name: string) =>
  name === "id" ? "run_id" : name === "status" ? "state" : `other_${name}`;

/** Shown as a fact, not as a name: some member has the time of creation, and runs have an id, a status and rows. */
const NEEDED = ["created_at", "id", "rows_exported", "metadata", "status"];

/** Members that the specification does not show. */
export const MEMBER_SERVERS: readonly Row[] = conforming({
  "7-1: replies have only the members that are shown": inEachReply((route, names) =>
    dropReplyMembers(route, ...names.filter((name) => !NEEDED.includes(name))),
  ),
  "7-1: members that are not shown have other names": inEachReply((route, names) =>
    renameMembers(route, Object.fromEntries(names.map((name) => [name, otherName(name)]))),
  ),
  "7-1: replies have an additional member": inEachReply((route) => setReplyMembers(route, { revision: 7 })),
});
