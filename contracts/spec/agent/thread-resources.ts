import {
  anything,
  beyond,
  dateTime,
  doc,
  type Field,
  freeForm,
  ignoredUnless,
  integer,
  listOf,
  maybe,
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
import { fieldNamesOf, metadata, page, selecting, sorting, supporting } from "./resources.ts";

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
const ttlMember = beyond({ ttl: maybe(ttlInput) }, "agent.thread_ttl");

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
            "Node that has written it; __input__ for the input of a run, __start__ for its start, __copy__ for a copy of the state before.",
            {
              minLength: 1,
              maxLength: 255,
            },
          ),
        ),
        values: maybe(freeForm(doc("2.2-1", "Values to merge."))),
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
        thread_id: maybe(uuid(doc("2.2-1", "Identifier to give it."))),
        metadata,
        config: maybe(freeForm(doc("2.2-1", "Configuration."))),
        if_exists: maybe(
          oneOf(["raise", "do_nothing"], doc("2.2-1", "What to do when the identifier is taken.")),
        ),
        supersteps: maybe(
          listOf(superstep, doc("2.2-1", "States to write, in this order.", { maxItems: 100 })),
        ),
      },
      "agent.request_members",
    ),
    ...ttlMember,
  },
  doc("4.8-3", "A thread to create; an empty object is valid."),
);

/** Further fields that newer clients request. A thread without one is returned without it. */
const MORE_THREAD_FIELDS = ["state_updated_at", "interrupts"];

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
    strategy: maybe(ttlStrategy({ default: "delete" })),
  },
  doc("2.2-1", "Threads to delete, or to keep with only their latest states."),
);

export const threadsPruned = supporting(
  object({ pruned_count: integer(doc("2.2-1", "Number of threads pruned.", { minimum: 0 })) }),
);

export const threadSearch = object(
  {
    ids: maybe(listOf(uuid(), doc("4.8-3", "Only these.", { maxItems: 1000 }))),
    metadata,
    values: maybe(freeForm(doc("4.8-3", "Values that the thread must hold."))),
    status: maybe(oneOf(THREAD_STATUSES, doc("2.2-2", "Only threads of this status."))),
    ...page,
    ...sorting(["thread_id", "status", "created_at", "updated_at", "state_updated_at"]),
    select: selecting([...fieldNamesOf(thread), ...MORE_THREAD_FIELDS], ["context"]),
    extract: optional(anything(doc("4.8-3", "Accepted without effect.", ignoredUnless()))),
  },
  doc("4.8-3", "Which threads to find."),
);

/** A thread of which only some fields may have been asked for. */
export const threadPart = supporting(freeForm());

const stateFields = object(
  {
    values: nullable(anything(doc("2.2-1", "What the thread held there."))),
    next: listOf(text(), doc("2.2-1", "Nodes that run next.")),
    tasks: listOf(freeForm(), doc("2.2-1", "What was at work or asked something.")),
    metadata: freeForm(doc("2.2-1", "Where the state came from.")),
    created_at: nullable(dateTime(doc("2.2-1", "When it came about."))),
    checkpoint: freeForm(doc("2.2-1", "What the state is known by.")),
    parent_checkpoint: nullable(freeForm(doc("2.2-1", "The state before it."))),
    interrupts: listOf(freeForm(), doc("2.2-1", "What it waits for an answer to.")),
  },
  doc("2.2-1", "The state of a thread at one point."),
);

export const threadState = supporting(stateFields);

/** What a change of a thread's state by hand came to. */
export const threadStateChange = supporting(freeForm());

export const threadStateUpdate = object(
  {
    values: anything(doc("2.2-1", "Values to merge, or null for none.")),
    as_node: maybe(text(doc("2.2-1", "Node in whose name it is done; __copy__ copies the state."))),
    checkpoint: maybe(freeForm(doc("2.2-1", "State from which to continue."))),
    checkpoint_id: maybe(text(doc("2.2-1", "State from which to continue."))),
  },
  doc("2.2-1", "A change of a thread's state by hand."),
);

export const historySearch = object(
  {
    limit: maybe(
      integer(doc("2.2-1", "Maximum number of states.", { minimum: 1, maximum: 1000, default: 10 })),
    ),
    before: optional(anything(doc("2.2-1", "Only states before this checkpoint."))),
    metadata,
    checkpoint: maybe(freeForm(doc("2.2-1", "Accepted without effect.", ignoredUnless()))),
  },
  doc("2.2-1", "Which states of a thread to answer with."),
);

export const checkpointReference = object(
  {
    checkpoint: freeForm(doc("2.2-1", "The checkpoint.")),
    subgraphs: optional(anything(doc("2.2-1", "Accepted without effect.", ignoredUnless(false)))),
  },
  doc("2.2-1", "Which state of a thread to answer with."),
);
