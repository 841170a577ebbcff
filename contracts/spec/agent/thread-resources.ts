import {
  anything,
  beyond,
  dateTime,
  type Field,
  freeForm,
  integer,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type TypeOf,
  text,
  uuid,
} from "../fields.ts";
import { THREAD_STATUSES, TTL_STRATEGIES } from "./lifecycle.ts";
import { doc, fieldNamesOf, metadata, page, sorting, supporting } from "./resources.ts";

const ttlStrategy = (more: Record<string, unknown> = {}) =>
  oneOf(TTL_STRATEGIES, doc("2.2-1", "Delete the thread, or keep it with its latest state.", more));

/** Ten years. */
const MAX_TTL_MINUTES = 5_256_000;

const ttlInput = object(
  {
    ttl: number(
      doc("2.2-1", "Virtual minutes from the request on.", { exclusiveMinimum: 0, maximum: MAX_TTL_MINUTES }),
    ),
    strategy: optional(ttlStrategy({ default: "delete" })),
  },
  doc("2.2-1", "Time after which the thread is swept."),
);

export type ThreadTtlInput = TypeOf<typeof ttlInput>;

/** The time to live of a new or of an existing thread; null is the same as none. */
const ttlMember = beyond({ ttl: optional(nullable(ttlInput)) }, "agent.thread_ttl");

const threadTtl = object(
  {
    strategy: ttlStrategy(),
    ttl_minutes: number(doc("2.2-1", "Virtual minutes.")),
    expires_at: dateTime(doc("2.2-1", "When they have passed.")),
  },
  doc("2.2-1", "Its time to live, if it has one."),
);

/** §2.2: a thread as it is returned, with exactly these fields, and its time to live. */
export const thread = object(
  {
    thread_id: uuid(doc("2.2-1", "Identifier of the thread.")),
    created_at: dateTime(doc("2.2-1", "When it was created.")),
    updated_at: dateTime(doc("2.2-1", "When it last changed.")),
    metadata: freeForm(doc("2.2-1", "What its caller noted on it.")),
    status: oneOf(THREAD_STATUSES, doc("2.2-2", "Where it stands.")),
    config: freeForm(doc("2.2-1", "Configuration.")),
    values: nullable(freeForm(doc("2.2-1", "What its runs have come to; null before the first."))),
    ...beyond({ ttl: optional(threadTtl) }, "agent.thread_ttl"),
  },
  doc("2.2-1", "The accumulated outputs of a group of runs."),
);

/** A state of a new thread: what nodes are taken to have written. */
const superstep = object(
  {
    updates: listOf(
      object({
        as_node: text(
          doc(
            "2.2-1",
            "Node that has written it; __input__ for the input of a run, __start__ for its start.",
            {
              minLength: 1,
              maxLength: 255,
            },
          ),
        ),
        values: optional(nullable(freeForm(doc("2.2-1", "Values to merge.")))),
        command: optional({ type: "null", description: "Not supported; send values." } as Field<null>),
      }),
      doc("2.2-1", "Updates that lead to one state.", { minItems: 1, maxItems: 100 }),
    ),
  },
  doc("2.2-1", "One state of a new thread."),
);

export type Superstep = TypeOf<typeof superstep>;

export const threadCreate = object(
  {
    ...beyond(
      {
        thread_id: optional(nullable(uuid(doc("2.2-1", "Identifier to give it.")))),
        metadata,
        config: optional(nullable(freeForm(doc("2.2-1", "Configuration.")))),
        if_exists: optional(
          nullable(oneOf(["raise", "do_nothing"], doc("2.2-1", "What to do when the identifier is taken."))),
        ),
        supersteps: optional(
          nullable(listOf(superstep, doc("2.2-1", "States to write, in this order.", { maxItems: 100 }))),
        ),
      },
      "agent.request_members",
    ),
    ...ttlMember,
  },
  doc("4.8-3", "A thread to create; an empty object is valid."),
);

/** Further fields that newer clients request. A thread without one is returned without it. */
const MORE_THREAD_FIELDS = ["state_updated_at", "interrupts", "context"];

export const threadPatch = object(
  {
    metadata,
    ...ttlMember,
  },
  doc("2.2-1", "Metadata to merge into a thread's, and its time to live."),
);

/** The body that public clients send to `PATCH …/state`. */
export const stateMetadata = object({ metadata }, doc("2.2-1", "Metadata to merge into a thread's."));

export const threadsPrune = object(
  {
    thread_ids: listOf(
      uuid(),
      doc("2.2-1", "Threads; those that do not exist are not counted.", { maxItems: 1000 }),
    ),
    strategy: optional(nullable(ttlStrategy({ default: "delete" }))),
  },
  doc("2.2-1", "Threads to delete, or to keep with only their latest states."),
);

export const threadsPruned = supporting(
  object({ pruned_count: integer(doc("2.2-1", "Number of threads pruned.", { minimum: 0 })) }),
);

export const threadSearch = object(
  {
    ids: optional(nullable(listOf(uuid(), doc("4.8-3", "Only these.", { maxItems: 1000 })))),
    metadata,
    values: optional(nullable(freeForm(doc("4.8-3", "Values that the thread must hold.")))),
    status: optional(nullable(oneOf(THREAD_STATUSES, doc("2.2-2", "Only threads of this status.")))),
    ...page,
    ...sorting(
      ["thread_id", "status", "created_at", "updated_at", "state_updated_at"],
      [...fieldNamesOf(thread), ...MORE_THREAD_FIELDS],
    ),
    extract: optional(anything(doc("4.8-3", "Accepted without effect."))),
  },
  doc("4.8-3", "Which threads to find."),
);

/** A thread of which only some fields may have been asked for. */
export const threadPart = supporting(freeForm());
