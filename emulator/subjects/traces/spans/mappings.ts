import { parseUuid } from "../field-readers.ts";
import { parseDottedOrder } from "../lineage.ts";
import { RUN_TYPES } from "../run-input.ts";
import {
  choiceOf,
  exceptionOf,
  listOf,
  messageOf,
  objectOf,
  parsed,
  type Read,
  textOf,
  whole,
} from "./readers.ts";

/**
 * Where the value of an attribute, or what is read from an event, belongs: a path into the run. `{n}` stands for an index and `*`
 * for the rest of a name. A `*` only in `to` means the members of the value. Undefined values are left out.
 */
export type Mapping = { readonly to: string; readonly read?: Read } & (
  | { readonly attribute: string; readonly event?: never }
  | { readonly event: string }
);

const PARAMETERS = "extra.invocation_params";
const METADATA = "extra.metadata";
const DOCUMENT = "retrieval.documents.{n}.document";
const USAGE = `${METADATA}.usage_metadata`;

/** Run types by the lower-case name of a kind of step. */
const RUN_TYPE_OF_KIND: ReadonlyMap<string, string> = new Map([
  ...RUN_TYPES.map((runType) => [runType, runType] as const),
  ["chat", "llm"],
  ["completion", "llm"],
  ["text_completion", "llm"],
  ["generate_content", "llm"],
  ["embeddings", "embedding"],
  ["execute_tool", "tool"],
  ["retrieval", "retriever"],
  ["invoke_agent", "chain"],
  ["create_agent", "chain"],
  ["invoke_workflow", "chain"],
  ["agent", "chain"],
  ["task", "chain"],
  ["workflow", "chain"],
]);

const kindOf: Read = (value) => RUN_TYPE_OF_KIND.get(String(value).toLowerCase());
const requestKindOf: Read = (value) => (/^embedding/i.test(String(value)) ? "embedding" : "llm");
const orderOf: Read = (value) => (typeof value === "string" ? parseDottedOrder(value) : undefined);
const tagsOf: Read = (value) =>
  (Array.isArray(value) ? value : String(value).split(",")).map((tag) => String(tag).trim()).filter(Boolean);
const toolNameOf: Read = (value, attributes) =>
  String(attributes.get("openinference.span.kind")).toLowerCase() === "tool" ? textOf(value) : undefined;
const isChoice = (event: unknown) => objectOf(event)?.["event.name"] === "gen_ai.choice";
const choiceIn: Read = (events) => listOf(events)?.find(isChoice);
const othersIn: Read = (events) => listOf(events)?.filter((event) => !isChoice(event));

/** Every mapping. For each member of the run the first value counts. Other attributes become metadata. */
export const MAPPINGS: readonly Mapping[] = [
  // What the platform's own exporter sets.
  { attribute: "langsmith.span.id", to: "place.id", read: parseUuid },
  { attribute: "langsmith.trace.id", to: "place.trace_id", read: parseUuid },
  { attribute: "langsmith.span.parent_id", to: "place.parent_run_id", read: parseUuid },
  { attribute: "langsmith.span.dotted_order", to: "place.dotted_order", read: orderOf },
  { attribute: "langsmith.trace.session_id", to: "project.session_id", read: parseUuid },
  { attribute: "langsmith.trace.session_name", to: "project.session_name", read: textOf },
  { attribute: "langsmith.reference_example_id", to: "row.reference_example_id", read: parseUuid },
  { attribute: "langsmith.span.tags", to: "row.tags", read: tagsOf },

  { attribute: "langsmith.trace.name", to: "row.name", read: textOf },
  { attribute: "traceloop.entity.name", to: "row.name", read: textOf },
  { attribute: "tool.name", to: "row.name", read: toolNameOf },

  { attribute: "langsmith.span.kind", to: "row.run_type", read: kindOf },
  { attribute: "gen_ai.tool.name", to: "row.run_type", read: () => "tool" },
  { attribute: "llm.prompt_template.variables", to: "row.run_type", read: () => "prompt" },
  { attribute: "openinference.span.kind", to: "row.run_type", read: kindOf },
  { attribute: "traceloop.span.kind", to: "row.run_type", read: kindOf },
  { attribute: "gen_ai.operation.name", to: "row.run_type", read: kindOf },
  { attribute: "traceloop.llm.request.type", to: "row.run_type", read: requestKindOf },
  { attribute: "llm.request.type", to: "row.run_type", read: requestKindOf },
  { attribute: "gen_ai.request.model", to: "row.run_type", read: () => "llm" },
  { attribute: "gen_ai.response.model", to: "row.run_type", read: () => "llm" },
  { attribute: "llm.model_name", to: "row.run_type", read: () => "llm" },

  { event: "exception", to: "row.error", read: exceptionOf },

  { attribute: "gen_ai.input.messages", to: "row.inputs.messages", read: listOf },
  { attribute: "llm.input_messages", to: "row.inputs.messages", read: listOf },
  { attribute: "gen_ai.prompt.{n}.message.*", to: "row.inputs.messages.{n}.*" },
  { attribute: "gen_ai.prompt.{n}.*", to: "row.inputs.messages.{n}.*" },
  { attribute: "llm.input_messages.{n}.message.*", to: "row.inputs.messages.{n}.*" },
  { event: "gen_ai.system.message", to: "row.inputs.messages.{n}", read: messageOf("system") },
  { event: "gen_ai.user.message", to: "row.inputs.messages.{n}", read: messageOf("user") },
  { event: "gen_ai.content.prompt", to: "row.inputs", read: whole("input", "gen_ai.prompt") },
  { attribute: "gen_ai.prompt", to: "row.inputs", read: whole("input") },
  { attribute: "input.value", to: "row.inputs", read: whole("input") },
  { attribute: "traceloop.entity.input", to: "row.inputs", read: whole("input") },
  { attribute: "gen_ai.tool.call.arguments", to: "row.inputs", read: whole("input") },
  { attribute: "prompt", to: "row.inputs", read: whole("input") },
  { attribute: "events", to: "row.inputs.input", read: othersIn },
  { attribute: "gen_ai.system_instructions", to: "row.inputs.system", read: parsed },

  { attribute: "gen_ai.output.messages", to: "row.outputs.messages", read: listOf },
  { attribute: "llm.output_messages", to: "row.outputs.messages", read: listOf },
  { attribute: "gen_ai.completion.{n}.message.*", to: "row.outputs.messages.{n}.*" },
  { attribute: "gen_ai.completion.{n}.*", to: "row.outputs.messages.{n}.*" },
  { attribute: "llm.output_messages.{n}.message.*", to: "row.outputs.messages.{n}.*" },
  { attribute: `${DOCUMENT}.content`, to: "row.outputs.documents.{n}.page_content" },
  { attribute: `${DOCUMENT}.metadata`, to: "row.outputs.documents.{n}.metadata", read: parsed },
  { attribute: `${DOCUMENT}.*`, to: "row.outputs.documents.{n}.*" },
  { event: "gen_ai.assistant.message", to: "row.outputs.messages.{n}", read: messageOf("assistant") },
  { event: "gen_ai.tool.message", to: "row.outputs.messages.{n}", read: messageOf("tool") },
  { event: "gen_ai.choice", to: "row.outputs.choices.{n}", read: choiceOf },
  { event: "gen_ai.content.completion", to: "row.outputs", read: whole("output", "gen_ai.completion") },
  { attribute: "gen_ai.completion", to: "row.outputs", read: whole("output") },
  { attribute: "output.value", to: "row.outputs", read: whole("output") },
  { attribute: "traceloop.entity.output", to: "row.outputs", read: whole("output") },
  { attribute: "gen_ai.tool.call.result", to: "row.outputs", read: whole("output") },
  { attribute: "all_messages_events", to: "row.outputs", read: whole("output") },
  { attribute: "events", to: "row.outputs", read: choiceIn },

  { attribute: "langsmith.metadata.*", to: `${METADATA}.*` },
  { attribute: "traceloop.association.properties.*", to: `${METADATA}.*` },
  { attribute: "metadata", to: `${METADATA}.*`, read: objectOf },
  { attribute: "gen_ai.provider.name", to: `${METADATA}.ls_provider`, read: textOf },
  { attribute: "gen_ai.system", to: `${METADATA}.ls_provider`, read: textOf },
  { attribute: "llm.provider", to: `${METADATA}.ls_provider`, read: textOf },
  { attribute: "llm.system", to: `${METADATA}.ls_provider`, read: textOf },
  { attribute: "gen_ai.request.model", to: `${METADATA}.ls_model_name`, read: textOf },
  { attribute: "gen_ai.response.model", to: `${METADATA}.ls_model_name`, read: textOf },
  { attribute: "llm.model_name", to: `${METADATA}.ls_model_name`, read: textOf },

  { attribute: "langsmith.usage_metadata", to: `${USAGE}.*`, read: objectOf },
  { attribute: "gen_ai.usage.input_tokens", to: `${USAGE}.input_tokens` },
  { attribute: "gen_ai.usage.prompt_tokens", to: `${USAGE}.input_tokens` },
  { attribute: "llm.token_count.prompt", to: `${USAGE}.input_tokens` },
  { attribute: "gen_ai.usage.output_tokens", to: `${USAGE}.output_tokens` },
  { attribute: "gen_ai.usage.completion_tokens", to: `${USAGE}.output_tokens` },
  { attribute: "llm.token_count.completion", to: `${USAGE}.output_tokens` },
  { attribute: "gen_ai.usage.total_tokens", to: `${USAGE}.total_tokens` },
  { attribute: "llm.usage.total_tokens", to: `${USAGE}.total_tokens` },
  { attribute: "llm.token_count.total", to: `${USAGE}.total_tokens` },
  { attribute: "gen_ai.usage.details.*", to: `${USAGE}.*` },
  { attribute: "gen_ai.usage.input_cost", to: `${USAGE}.input_cost` },
  { attribute: "llm.cost.prompt", to: `${USAGE}.input_cost` },
  { attribute: "gen_ai.usage.output_cost", to: `${USAGE}.output_cost` },
  { attribute: "llm.cost.completion", to: `${USAGE}.output_cost` },
  { attribute: "gen_ai.usage.cost", to: `${USAGE}.total_cost` },
  { attribute: "gen_ai.usage.total_cost", to: `${USAGE}.total_cost` },
  { attribute: "llm.cost.total", to: `${USAGE}.total_cost` },

  { attribute: "gen_ai.request.model", to: `${PARAMETERS}.model` },
  { attribute: "gen_ai.request.stop_sequences", to: `${PARAMETERS}.stop` },
  { attribute: "gen_ai.request.*", to: `${PARAMETERS}.*` },
  { attribute: "gen_ai.response.model", to: `${PARAMETERS}.model` },
  { attribute: "gen_ai.tool.name", to: `${PARAMETERS}.tool_name` },
  { attribute: "tools", to: `${PARAMETERS}.tools`, read: parsed },
  { attribute: "tool_arguments", to: `${PARAMETERS}.tool_arguments`, read: parsed },
  { attribute: "llm.presence_penalty", to: `${PARAMETERS}.presence_penalty` },
  { attribute: "llm.frequency_penalty", to: `${PARAMETERS}.frequency_penalty` },
  { attribute: "llm.request.functions", to: `${PARAMETERS}.functions`, read: parsed },
  { attribute: "llm.invocation_parameters", to: `${PARAMETERS}.*`, read: objectOf },
];
