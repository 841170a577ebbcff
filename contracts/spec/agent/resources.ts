import {
  anything,
  assumed,
  beyond,
  boolean,
  dateTime,
  type Field,
  freeForm,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from "../fields.ts";
import { AGENT_RUN_STATUS_NAMES, MULTITASK_STRATEGIES, STREAM_MODES } from "./lifecycle.ts";

/** A description with the requirement that it comes from. */
export const doc = (requirement: string, description: string, more: Record<string, unknown> = {}) => ({
  description,
  "x-requirement": requirement,
  ...more,
});

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
export const agentRunPart = object(
  Object.fromEntries(
    Object.entries(runFields).map(([name, field]) => [name, optional(field as Field<unknown>)]),
  ),
  doc("4.1-2", "The selected fields of a run."),
);

export const metadata = optional(nullable(freeForm(doc("2.1-1", "Notes of the caller."))));

const streamMode = oneOf(STREAM_MODES, doc("4.8-2", "What is streamed of the run."));

const assistantId = text(
  doc("4.8-2", "An assistant's id, or the name of its graph.", { minLength: 1, maxLength: 255 }),
);

/** The assumption agent.breakpoints says what becomes of them. */
const breakpoints = {
  anyOf: [oneOf(["*"]), listOf(text({ maxLength: 255 }), { maxItems: 100 }), { type: "null" }],
  ...doc("2.1-1", "Names of nodes to stop at, or a star for all of them."),
} as Field<"*" | readonly string[] | null>;

const runCreateFields = {
  assistant_id: assistantId,
  input: optional(nullable(freeForm(doc("4.8-2", "What the run works on; null is the same as none.")))),
  command: optional(
    nullable(
      freeForm(
        doc(
          "4.8-2",
          "In resume the answer to an interrupt, in update values to merge, in goto a node to start at.",
        ),
      ),
    ),
  ),
  config: optional(
    nullable(freeForm(doc("2.1-1", "Configuration, with configurable, tags, metadata and recursion_limit."))),
  ),
  context: optional(nullable(freeForm(doc("2.1-1", "Context of the assistant.")))),
  metadata,
  stream_mode: optional({
    anyOf: [streamMode, listOf(streamMode, { minItems: 1, maxItems: STREAM_MODES.length })],
    ...doc("4.8-2", "One mode, or several."),
  } as Field<(typeof STREAM_MODES)[number] | readonly (typeof STREAM_MODES)[number][]>),
  stream_subgraphs: optional(nullable(boolean(doc("4.8-2", "Accepted; scripted runs have no subgraphs.")))),
  stream_resumable: optional(
    nullable(boolean(doc("4.8-2", "Accepted; every stream can be taken up again."))),
  ),
  webhook: optional(
    nullable(
      text(
        doc("4.8-2", "Address that hears of the run's end (§6).", {
          minLength: 1,
          maxLength: 65_536,
        }),
      ),
    ),
  ),
  multitask_strategy: optional(nullable(strategy)),
  after_seconds: optional(
    nullable({
      type: "number",
      ...doc("2.1-1", "Virtual seconds that the run waits at least.", {
        minimum: 0,
        maximum: 31_622_400,
      }),
    } as Field<number>),
  ),
  if_not_exists: optional(
    nullable(oneOf(["create", "reject"], doc("2.2-1", "Whether an unknown thread comes into being."))),
  ),
  on_disconnect: optional(
    nullable(oneOf(["cancel", "continue"], doc("4.8-2", "What the run does when its reader goes away."))),
  ),
  on_completion: optional(
    nullable(oneOf(["delete", "keep"], doc("2.2-1", "What becomes of the thread of a run without one."))),
  ),
  interrupt_before: optional(breakpoints),
  interrupt_after: optional(breakpoints),
  feedback_keys: optional(nullable(listOf(text(), doc("2.1-1", "Kept in kwargs.")))),
  checkpoint: optional(nullable(freeForm(doc("2.1-1", "State of the thread to start from.")))),
  checkpoint_id: optional(nullable(text(doc("2.1-1", "State of the thread to start from.")))),
  checkpoint_during: optional(nullable(boolean(doc("2.1-1", "Kept in kwargs.")))),
  strict_resume: optional(anything(doc("2.1-1", "Kept in kwargs."))),
  durability: optional(nullable(oneOf(["sync", "async", "exit"], doc("2.1-1", "Kept in kwargs.")))),
  langsmith_tracer: optional(nullable(freeForm(doc("2.1-1", "Kept in kwargs.")))),
};

const { assistant_id, input, stream_mode, webhook, ...moreRunFields } = runCreateFields;

/** §4.8: what starts a run; assistant_id, input, stream_mode and webhook are shown. */
export const agentRunCreate = object(
  { assistant_id, input, stream_mode, webhook, ...beyond(moreRunFields, "agent.request_members") },
  doc("4.8-2", "A run to start."),
);

export const agentRunBatch = listOf(agentRunCreate, {
  minItems: 1,
  maxItems: 100,
  ...doc("4.8-2", "Runs to start, each on a thread of its own."),
});

export const page = {
  limit: optional(
    nullable(
      integer(doc("4.8-3", "Most entries to answer with.", { minimum: 1, maximum: 1000, default: 10 })),
    ),
  ),
  offset: optional(nullable(integer(doc("4.8-3", "Number of entries to skip.", { minimum: 0, default: 0 })))),
};

/** The fields of an object of these tables. */
export const fieldNamesOf = (field: Field<unknown>): readonly string[] => Object.keys(field.properties ?? {});

export const sorting = (names: readonly [string, ...string[]], fields: readonly string[]) => ({
  sort_by: optional(nullable(oneOf(names, doc("4.8-3", "What to sort by; created_at when left out.")))),
  sort_order: optional(
    nullable(oneOf(["asc", "desc"], doc("4.8-3", "Direction; the newest first when left out."))),
  ),
  select: optional(nullable(listOf(oneOf(fields), doc("4.8-3", "Fields to answer with.", { maxItems: 20 })))),
});

/** Only the thread itself is shown (§2.2); what else is said of it follows what public clients read. */
export const supporting = <T>(field: Field<T>) => assumed(field, "agent.supporting_operations");

export const runsCancel = object(
  {
    status: optional(
      nullable(oneOf(["pending", "running", "all"], doc("2.1-2", "Only runs with this status."))),
    ),
    thread_id: optional(nullable(uuid(doc("2.1-1", "Thread of the runs.")))),
    run_ids: optional(nullable(listOf(uuid(), doc("2.1-1", "The runs.", { maxItems: 1000 })))),
  },
  doc("2.1-2", "Which runs to cancel."),
);

/** The result of a run: values, `__error__` or `__interrupt__` (4.8-4). */
export const runOutcome = assumed(anything(doc("4.8-4", "Final values of the run.")), "agent.wait_outcome");

/** What a run says as it goes. */
export const runEvents = assumed(text({ description: "Server-sent events." }), "agent.stream_framing");

export const counted = supporting(integer(doc("4.8-3", "How many there are.", { minimum: 0 })));
