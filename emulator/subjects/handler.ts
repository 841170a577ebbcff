import type { BodyOf, OperationId, PathOf, QueryOf, ReplyBodyOf } from "../../contracts/spec/operations.ts";
import type { PendingReply } from "../kernel/turn.ts";
import type { ReplyWithHeaders, StreamReply } from "./reply.ts";
import type { Turn } from "./turn.ts";
import type { Workspace } from "./workspace.ts";

/** A request that is valid by its row in the operations table. */
export interface RequestOf<Id extends OperationId> {
  readonly path: PathOf<Id>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
  /** The tenant is empty for operations without a workspace. */
  readonly workspace: Workspace;
  /** As sent, names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Handles one operation inside a turn. Returns the reply's body, a `PendingReply` that a later turn resolves,
 * or a stream reply; throws a `Refusal` before anything is written.
 */
export type Handler<Id extends OperationId> = (
  turn: Turn,
  request: RequestOf<Id>,
) => ReplyBodyOf<Id> | ReplyWithHeaders<ReplyBodyOf<Id>> | StreamReply | PendingReply;

/** One handler per row of the operations table: a row without a handler does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };
