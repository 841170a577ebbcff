/**
 * Names of attributes by what they say, the more exact first: the GenAI semantic conventions, then what
 * tracers of model calls used before them or use beside them.
 */

/** Run types by what an attribute of `KIND_NAMES` says in lower case. */
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

/** Say which kind of step it is. */
export const KIND_NAMES = [
  "langsmith.span.kind",
  "openinference.span.kind",
  "traceloop.span.kind",
  "gen_ai.operation.name",
];

/** Hold the name of the model. */
export const MODEL_NAMES = ["gen_ai.request.model", "gen_ai.response.model", "llm.model_name"];
/** Hold who serves the model. */
export const PROVIDER_NAMES = ["gen_ai.provider.name", "gen_ai.system", "llm.provider"];

/** Hold all of the inputs or outputs. */
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

/** Hold lists of messages. */
export const INPUT_MESSAGES = "gen_ai.input.messages";
export const OUTPUT_MESSAGES = "gen_ai.output.messages";
export const SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions";

/** Begin the names of attributes that hold one message each: `gen_ai.prompt.0.role`. */
export const INPUT_PREFIXES = ["gen_ai.prompt.", "llm.input_messages."];
export const OUTPUT_PREFIXES = ["gen_ai.completion.", "llm.output_messages."];

/** Events that hold one message each, with its role. */
export const INPUT_EVENTS: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};
/** An event that holds one choice of the model. */
export const OUTPUT_EVENT = "gen_ai.choice";
/** An event that says why the span failed. */
export const EXCEPTION_EVENT = "exception";

/** Hold counts of tokens, by the columns that they go to. */
export const TOKEN_NAMES = {
  prompt_tokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"],
  completion_tokens: [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
  ],
  total_tokens: ["gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total"],
} as const;

/** Hold costs, by the columns that they go to. */
export const COST_NAMES = {
  prompt_cost: ["gen_ai.usage.input_cost", "llm.cost.prompt"],
  completion_cost: ["gen_ai.usage.output_cost", "llm.cost.completion"],
  total_cost: ["gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total"],
} as const;

/** What the platform's own exporter says of the row that a span stands for. */
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

/** Begins the names of attributes that hold one entry of the metadata each. */
export const METADATA_PREFIX = "langsmith.metadata.";
