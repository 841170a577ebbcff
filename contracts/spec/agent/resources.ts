import {
  anything,
  assumed,
  beyond,
  boolean,
  dateTime,
  doc,
  eitherOf,
  type Field,
  freeForm,
  ignoredUnless,
  integer,
  listOf,
  maybe,
  number,
  object,
  oneOf,
  optional,
  partial,
  text,
  uuid,
} from "../fields.ts";
import { AGENT_RUN_STATUS_NAMES, MULTITASK_STRATEGIES, STREAM_MODES } from "./lifecycle.ts";

const strategy = oneOf(
  MULTITASK_STRATEGIES,
  doc("2.1-3", "What happens to runs that the thread is already busy with."),
);

/** §2.1: a run, all nine fields of it. */
const runFields = {
  run_id: uuid(doc("2.1-1", "Identifier of the run.")),
  thread_id: uuid(doc("2.1-1", "Thread that it belongs to.")),
  assistant_id: uuid(doc("2.1-1", "Assistant that it uses.")),
  created_at: dateTime(doc("2.1-1", "When it was created.")),
  updated_at: dateTime(doc("2.1-1", "When it last changed.")),
  status: oneOf(AGENT_RUN_STATUS_NAMES, doc("2.1-2", "Where it stands.")),
  metadata: freeForm(doc("2.1-1", "What its caller noted on it.")),
  kwargs: freeForm(doc("2.1-1", "Its input, configuration and other metadata.")),
  multitask_strategy: strategy,
};

export const agentRun = object(runFields, doc("2.1-1", "A run of an assistant on a thread."));

/** §4.1: the fields of a run that a list can be limited to. */
export const RUN_FIELD_NAMES = Object.keys(runFields) as readonly (keyof typeof runFields)[];

/** A run of which only some fields were asked for. */
export const agentRunPart = partial(agentRun, doc("4.1-2", "The selected fields of a run."));

export const metadata = maybe(freeForm(doc("2.1-1", "Notes of the caller.")));

const streamMode = oneOf(STREAM_MODES, doc("4.8-2", "What is streamed of the run."));

const assistantId = text(
  doc("4.8-2", "An assistant's id, or the name of its graph.", { minLength: 1, maxLength: 255 }),
);

/** The assumption agent.breakpoints says what becomes of them. */
const breakpoints = eitherOf(
  [oneOf(["*"]), listOf(text({ maxLength: 255 }), { maxItems: 100 }), { type: "null" } as Field<null>],
  doc("2.1-1", "Names of nodes to stop at, or a star for all of them."),
);

const moreRunFields = {
  command: maybe(
    freeForm(
      doc(
        "4.8-2",
        "In resume the answer to an interrupt, in update values to merge, in goto a node to start at.",
      ),
    ),
  ),
  config: maybe(
    freeForm(doc("2.1-1", "Configuration, with configurable, tags, metadata and recursion_limit.")),
  ),
  context: maybe(freeForm(doc("2.1-1", "Context of the assistant."))),
  metadata,
  stream_subgraphs: maybe(boolean(doc("4.8-2", "Kept in kwargs.", ignoredUnless(false)))),
  stream_resumable: maybe(boolean(doc("4.8-2", "Accepted; every stream can be taken up again."))),
  multitask_strategy: maybe(strategy),
  after_seconds: maybe(
    number(doc("2.1-1", "Virtual seconds that the run waits at least.", { minimum: 0, maximum: 31_622_400 })),
  ),
  if_not_exists: maybe(
    oneOf(["create", "reject"], doc("2.2-1", "Whether an unknown thread comes into being.")),
  ),
  on_disconnect: maybe(
    oneOf(["cancel", "continue"], doc("4.8-2", "What the run does when its reader goes away.")),
  ),
  on_completion: maybe(
    oneOf(["delete", "keep"], doc("2.2-1", "What becomes of the thread of a run without one.")),
  ),
  interrupt_before: optional(breakpoints),
  interrupt_after: optional(breakpoints),
  feedback_keys: maybe(listOf(text(), doc("2.1-1", "Kept in kwargs.", ignoredUnless()))),
  checkpoint: maybe(freeForm(doc("2.1-1", "State of the thread to start from."))),
  checkpoint_id: maybe(text(doc("2.1-1", "State of the thread to start from."))),
  checkpoint_during: maybe(boolean(doc("2.1-1", "Kept in kwargs.", ignoredUnless(true)))),
  strict_resume: optional(anything(doc("2.1-1", "Kept in kwargs.", ignoredUnless(false)))),
  durability: maybe(
    oneOf(["sync", "async", "exit"], doc("2.1-1", "Kept in kwargs.", ignoredUnless("sync", "async"))),
  ),
  langsmith_tracer: maybe(freeForm(doc("2.1-1", "Kept in kwargs.", ignoredUnless()))),
};

/** The members of a body that starts a run; the first four are shown (§4.8). */
export const agentRunCreateFields = {
  assistant_id: assistantId,
  input: maybe(freeForm(doc("4.8-2", "What the run works on; null is the same as none."))),
  stream_mode: optional(
    eitherOf(
      [streamMode, listOf(streamMode, { minItems: 1, maxItems: STREAM_MODES.length })],
      doc("4.8-2", "One mode, or several."),
    ),
  ),
  webhook: maybe(
    text(doc("4.8-2", "Address that hears of the run's end (§6).", { minLength: 1, maxLength: 65_536 })),
  ),
  ...beyond(moreRunFields, "agent.request_members"),
};

export const agentRunCreate = object(agentRunCreateFields, doc("4.8-2", "A run to start."));

export const agentRunBatch = listOf(agentRunCreate, {
  minItems: 1,
  maxItems: 100,
  ...doc("4.8-2", "Runs to start, each on a thread of its own."),
});

export const page = {
  limit: maybe(
    integer(doc("4.8-3", "Most entries to answer with.", { minimum: 1, maximum: 1000, default: 10 })),
  ),
  offset: maybe(integer(doc("4.8-3", "Number of entries to skip.", { minimum: 0, default: 0 }))),
};

/** The fields of an object of these tables. */
export const fieldNamesOf = (field: Field<unknown>): readonly string[] => Object.keys(field.properties ?? {});

/** Which fields of each result to return. `withoutValue` are accepted, too. */
export const selecting = (fields: readonly string[], withoutValue: readonly string[] = []) =>
  maybe(
    listOf(
      oneOf([...fields, ...withoutValue], ignoredUnless(...fields)),
      doc("4.8-3", "Fields to answer with.", { minItems: 1, maxItems: 20 }),
    ),
  );

export const sorting = (names: readonly [string, ...string[]]) => ({
  sort_by: maybe(oneOf(names, doc("4.8-3", "What to sort by; created_at when left out."))),
  sort_order: maybe(oneOf(["asc", "desc"], doc("4.8-3", "Direction; the newest first when left out."))),
});

/** Only the thread itself is shown (§2.2); what else is said of it follows what public clients read. */
export const supporting = <T>(field: Field<T>) => assumed(field, "agent.supporting_operations");

export const runsCancel = object(
  {
    status: maybe(oneOf(["pending", "running", "all"], doc("2.1-2", "Only runs with this status."))),
    thread_id: maybe(uuid(doc("2.1-1", "Thread of the runs."))),
    run_ids: maybe(listOf(uuid(), doc("2.1-1", "The runs.", { maxItems: 1000 }))),
  },
  doc("2.1-2", "Which runs to cancel."),
);

/** The result of a run: values, `__error__` or `__interrupt__` (4.8-4). */
export const runOutcome = assumed(anything(doc("4.8-4", "Final values of the run.")), "agent.wait_outcome");

/** What a run says as it goes. */
export const runEvents = assumed(text({ description: "Server-sent events." }), "agent.stream_framing");

export const counted = supporting(integer(doc("4.8-3", "How many there are.", { minimum: 0 })));
