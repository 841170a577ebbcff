import {
  anything,
  dateTime,
  freeForm,
  integer,
  listOf,
  nullable,
  object,
  optional,
  text,
} from "../fields.ts";
import { doc, metadata, supporting } from "./resources.ts";

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
    as_node: optional(nullable(text(doc("2.2-1", "Node in whose name it is done.")))),
    checkpoint: optional(nullable(freeForm(doc("2.2-1", "State from which to continue.")))),
    checkpoint_id: optional(nullable(text(doc("2.2-1", "State from which to continue.")))),
  },
  doc("2.2-1", "A change of a thread's state by hand."),
);

export const historySearch = object(
  {
    limit: optional(
      nullable(
        integer(doc("2.2-1", "Maximum number of states.", { minimum: 1, maximum: 1000, default: 10 })),
      ),
    ),
    before: optional(anything(doc("2.2-1", "Only states before this checkpoint."))),
    metadata,
    checkpoint: optional(nullable(freeForm(doc("2.2-1", "Accepted without effect.")))),
  },
  doc("2.2-1", "Which states of a thread to answer with."),
);

export const checkpointReference = object(
  { checkpoint: freeForm(doc("2.2-1", "The checkpoint.")), subgraphs: optional(anything()) },
  doc("2.2-1", "Which state of a thread to answer with."),
);
