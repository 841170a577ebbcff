import { AGENT_ASSISTANT_OPERATIONS } from "./agent/assistant-operations.ts";
import { AGENT_RUN_OPERATIONS } from "./agent/run-operations.ts";
import { AGENT_THREAD_OPERATIONS } from "./agent/thread-operations.ts";
import { BULK_EXPORT_OPERATIONS } from "./bulk-exports/operations.ts";
import { CRON_OPERATIONS } from "./crons/operations.ts";
import { DESTINATION_OPERATIONS } from "./destinations/operations.ts";
import type { ObjectOf, TypeOf } from "./fields.ts";
import type { Operation, Parameters } from "./operation.ts";
import { QUERY_OPERATIONS } from "./queries/operations.ts";
import { QUERY_V2_OPERATIONS } from "./queries/v2-operations.ts";
import { SYSTEM_OPERATIONS } from "./system-operations.ts";
import { INGEST_OPERATIONS } from "./traces/operations.ts";

/** §4 and further operations that its users need: every operation that has a handler. */
export const OPERATIONS = {
  ...DESTINATION_OPERATIONS,
  ...BULK_EXPORT_OPERATIONS,
  ...INGEST_OPERATIONS,
  ...QUERY_OPERATIONS,
  ...QUERY_V2_OPERATIONS,
  ...CRON_OPERATIONS,
  ...AGENT_RUN_OPERATIONS,
  ...AGENT_THREAD_OPERATIONS,
  ...AGENT_ASSISTANT_OPERATIONS,
  ...SYSTEM_OPERATIONS,
} as const satisfies Record<string, Operation>;

type Operations = typeof OPERATIONS;

export type OperationId = keyof Operations;

type Nothing = Readonly<Record<never, never>>;

type RowOf<Id extends OperationId> = Operations[Id];

type TypesOf<P> = P extends Parameters ? ObjectOf<P> : Nothing;

/** The path parameters of an operation. */
export type PathOf<Id extends OperationId> =
  RowOf<Id> extends { readonly pathParameters: infer P } ? TypesOf<P> : Nothing;

/** The query parameters of an operation, read from their text. */
export type QueryOf<Id extends OperationId> =
  RowOf<Id> extends { readonly query: infer Q } ? TypesOf<Q> : Nothing;

/** The request body of an operation, with what an assumption may add; `undefined` where there is none. */
export type BodyOf<Id extends OperationId> =
  RowOf<Id> extends { readonly variant: { readonly body: infer B } }
    ? TypeOf<B>
    : RowOf<Id> extends { readonly body: infer B }
      ? TypeOf<B>
      : undefined;

/** The body of the successful reply of an operation; `undefined` where there is none. */
export type ReplyBodyOf<Id extends OperationId> = RowOf<Id>["reply"] extends { readonly body: infer B }
  ? TypeOf<B>
  : undefined;
