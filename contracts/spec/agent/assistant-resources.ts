import {
  assumed,
  beyond,
  dateTime,
  doc,
  freeForm,
  integer,
  listOf,
  maybe,
  nullable,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from "../fields.ts";
import { fieldNamesOf, metadata, page, selecting, sorting } from "./resources.ts";

const assistantObject = object(
  {
    assistant_id: uuid(doc("4.8-3", "Identifier of the assistant.")),
    graph_id: text(doc("4.8-3", "Graph that it configures.")),
    name: text(doc("4.8-3", "Its name.")),
    description: nullable(text(doc("4.8-3", "Its purpose."))),
    config: freeForm(doc("4.8-3", "Configuration.")),
    context: freeForm(doc("4.8-3", "Context.")),
    metadata: freeForm(doc("4.8-3", "Notes; created_by is system for the server's own.")),
    version: integer(doc("4.8-3", "Counts its changes.")),
    created_at: dateTime(doc("4.8-3", "When it was created.")),
    updated_at: dateTime(doc("4.8-3", "When it last changed.")),
  },
  doc("4.8-3", "A configured instance of a graph."),
);

/** Fields of an assistant: not shown; those that public clients read. */
export const assistant = assumed(assistantObject, "agent.assistant_fields");

/** An assistant of which only some fields may have been asked for. */
export const assistantPart = assumed(freeForm(), "agent.assistant_fields");

const assistantFields = {
  name: maybe(text(doc("4.8-3", "Its name.", { maxLength: 255 }))),
  description: maybe(text(doc("4.8-3", "Its purpose.", { maxLength: 65_536 }))),
  config: maybe(freeForm(doc("4.8-3", "Configuration."))),
  context: maybe(freeForm(doc("4.8-3", "Context."))),
  metadata,
};

const graphId = text(doc("4.8-3", "Name of a graph that the server has.", { minLength: 1, maxLength: 255 }));

export const assistantCreate = object(
  {
    graph_id: graphId,
    assistant_id: maybe(uuid(doc("4.8-3", "Identifier to give it."))),
    if_exists: maybe(
      oneOf(["raise", "do_nothing"], doc("4.8-3", "What to do when the identifier is taken.")),
    ),
    ...assistantFields,
  },
  doc("4.8-3", "An assistant to create."),
);

export const assistantPatch = object(
  { graph_id: optional(graphId), ...assistantFields },
  doc("4.8-3", "Changes of an assistant."),
);

const searchFields = {
  graph_id: maybe(text(doc("4.8-3", "Only assistants of this graph."))),
  name: maybe(text(doc("4.8-3", "Only assistants whose name contains this."))),
  metadata,
  ...sorting(["assistant_id", "graph_id", "name", "created_at", "updated_at"]),
  select: selecting(fieldNamesOf(assistantObject)),
};

/** §4.8: limit and offset are shown. */
export const assistantSearch = object(
  { ...page, ...beyond(searchFields, "agent.request_members") },
  doc("4.8-3", "Which assistants to find."),
);

export const assistantVersionSearch = object(
  { ...page, metadata },
  doc("4.8-3", "Which versions of an assistant to list."),
);

export const assistantVersion = object(
  { version: integer(doc("4.8-3", "Number of the version.", { minimum: 1 })) },
  doc("4.8-3", "A version of an assistant."),
);

export const assistantGraph = assumed(
  object(
    {
      nodes: listOf(freeForm(), doc("4.8-3", "Nodes of the graph.")),
      edges: listOf(freeForm(), doc("4.8-3", "Edges of the graph.")),
    },
    doc("4.8-3", "The graph behind an assistant."),
  ),
  "agent.supporting_operations",
);
