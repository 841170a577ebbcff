/**
 * Attribute names by meaning, most specific first: the GenAI semantic conventions, then older and other
 * conventions of LLM tracers.
 */

/** Run types by the lower-case value of an attribute of `KIND_NAMES`. */
export const RUN_TYPE_OF_OPERATION: Readonly<Record<string, string>> = {
  chat: "llm",
  completion: "llm",
  text_completion: "llm",
  generate_content: "llm",
  embeddings: "embedding",
  execute_tool: "tool",
  retrieval: "retriever",
  invoke_agent: "chain",
  create_agent: "chain",
  invoke_workflow: "chain",
  llm: "llm",
  tool: "tool",
  chain: "chain",
  agent: "chain",
  task: "chain",
  workflow: "chain",
  embedding: "embedding",
  retriever: "retriever",
  prompt: "prompt",
  parser: "parser",
};

/** The kind of step. */
export const KIND_NAMES = [
  "langsmith.span.kind",
  "openinference.span.kind",
  "traceloop.span.kind",
  "gen_ai.operation.name",
];

export const MODEL_NAMES = ["gen_ai.request.model", "gen_ai.response.model", "llm.model_name"];
export const PROVIDER_NAMES = ["gen_ai.provider.name", "gen_ai.system", "llm.provider"];

/** All inputs or all outputs. */
export const INPUT_NAMES = [
  "gen_ai.prompt",
  "input.value",
  "traceloop.entity.input",
  "gen_ai.tool.call.arguments",
];
export const OUTPUT_NAMES = [
  "gen_ai.completion",
  "output.value",
  "traceloop.entity.output",
  "gen_ai.tool.call.result",
];

/** Lists of messages. */
export const INPUT_MESSAGES = "gen_ai.input.messages";
export const OUTPUT_MESSAGES = "gen_ai.output.messages";
export const SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions";

/** Prefixes of attributes with one message member each: `gen_ai.prompt.0.role`. */
export const INPUT_PREFIXES = ["gen_ai.prompt.", "llm.input_messages."];
export const OUTPUT_PREFIXES = ["gen_ai.completion.", "llm.output_messages."];

/** Events with one message each, by role. */
export const INPUT_EVENTS: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};
/** The event with one choice of the model. */
export const OUTPUT_EVENT = "gen_ai.choice";
/** The event with the reason why the span failed. */
export const EXCEPTION_EVENT = "exception";

/** Token counts by column. */
export const TOKEN_NAMES = {
  prompt_tokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"],
  completion_tokens: [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
  ],
  total_tokens: ["gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total"],
} as const;

/** Costs by column. */
export const COST_NAMES = {
  prompt_cost: ["gen_ai.usage.input_cost", "llm.cost.prompt"],
  completion_cost: ["gen_ai.usage.output_cost", "llm.cost.completion"],
  total_cost: ["gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total"],
} as const;

/** Attributes with which the platform's own exporter sets fields of the row. */
export const ROW = {
  id: "langsmith.span.id",
  trace_id: "langsmith.trace.id",
  parent_run_id: "langsmith.span.parent_id",
  dotted_order: "langsmith.span.dotted_order",
  name: "langsmith.trace.name",
  reference_example_id: "langsmith.reference_example_id",
  tags: "langsmith.span.tags",
  session_name: "langsmith.trace.session_name",
  session_id: "langsmith.trace.session_id",
} as const;

/** Prefix of attributes with one metadata entry each. */
export const METADATA_PREFIX = "langsmith.metadata.";
