import { printScaled } from "./decimal.ts";
import type { JsonObject } from "./json.ts";
import type { Random } from "./random.ts";
import { MODELS, type Model, type Topic } from "./sample-texts.ts";
import type { Branch } from "./sample-trees.ts";

/** The parameters of a run's contents, apart from the random generator. */
export interface RunContext {
  readonly type: Branch["type"];
  readonly topic: Topic;
  /** Null while the run has not ended. */
  readonly isEnded: boolean;
  readonly error: string | null;
  /** Metadata shared by all runs of the trace. */
  readonly metadata: JsonObject;
  /** The time at a fraction of the run's duration, in this client's format for events. */
  timeAt(share: number): string;
}

/** Inputs, outputs, extra, events, tokens and costs of one run, as a client posts them. */
export function contentsOf(context: RunContext, random: Random): JsonObject {
  if (context.type === "llm") return modelCall(context, random);
  const { inputs, outputs } = PLAIN[context.type](context.topic, random);
  return {
    inputs,
    ...(context.isEnded && context.error === null ? { outputs } : {}),
    extra: { metadata: context.metadata, runtime: RUNTIME },
  };
}

const RUNTIME = { library: "langsmith", runtime: "node", sdk: "langsmith-js", sdk_version: "0.10.5" };

type Exchange = { readonly inputs: unknown; readonly outputs: unknown };

const PLAIN: Readonly<Record<Exclude<Branch["type"], "llm">, (topic: Topic, random: Random) => Exchange>> = {
  chain: (topic) => ({
    inputs: { messages: [{ role: "user", content: topic.question }] },
    outputs: { output: topic.answer },
  }),
  // Function calls carry their arguments and results as JSON text inside JSON.
  tool: (topic) => ({
    inputs: { name: topic.tool, input: JSON.stringify(topic.arguments) },
    outputs: { output: { role: "tool", content: JSON.stringify(topic.result), tool_call_id: "call_1" } },
  }),
  retriever: (topic) => ({
    inputs: { query: topic.question, k: topic.passages.length },
    outputs: {
      documents: topic.passages.map((passage, index) => ({
        page_content: passage,
        metadata: { source: `handbook/${index + 1}.md`, score: 0.91 - index / 8 },
      })),
    },
  }),
  embedding: (topic, random) => ({
    inputs: { texts: [topic.question] },
    outputs: { embeddings: [Array.from({ length: 8 }, () => (random.below(2_000_001) - 1_000_000) / 1e6)] },
  }),
  prompt: (topic) => ({
    inputs: { question: topic.question, history: [], language: null },
    outputs: { messages: messagesOf(topic) },
  }),
  parser: (topic) => ({ inputs: { content: topic.answer }, outputs: { output: topic.answer } }),
};

function messagesOf(topic: Topic): readonly JsonObject[] {
  return [
    { role: "system", content: "Answer in the language of the question. Say so when you do not know." },
    { role: "user", content: topic.question },
  ];
}

function modelCall(context: RunContext, random: Random): JsonObject {
  const model = random.pick(MODELS);
  const messages = messagesOf(context.topic);
  const prompt = Math.ceil((context.topic.question.length + 70) / 4) + random.below(400);
  const completion = Math.ceil(context.topic.answer.length / 4) + random.below(60);
  const extra = {
    metadata: { ls_model_name: model.name, ls_temperature: random.below(11) / 10, ...context.metadata },
    invocation_params: { model: model.name, stop: null, tools: [{ name: context.topic.tool }] },
    runtime: RUNTIME,
  };
  if (!context.isEnded) return { inputs: { messages }, extra, events: eventsOf(context, random, false) };
  if (context.error !== null) return { inputs: { messages }, extra, events: [] };
  const message = { role: "assistant", content: context.topic.answer, tool_calls: [] };
  return {
    inputs: { messages },
    events: eventsOf(context, random, true),
    ...random.pick(USAGE_SPELLINGS)({ model, prompt, completion, message, extra }),
  };
}

function eventsOf(context: RunContext, random: Random, isEnded: boolean): readonly JsonObject[] {
  const events: JsonObject[] = [{ name: "start", time: context.timeAt(0) }];
  if (random.chance(0.7)) {
    events.push({
      name: "new_token",
      time: context.timeAt(0.2),
      kwargs: { token: context.topic.answer.slice(0, 4) },
    });
    events.push({
      name: "new_token",
      time: context.timeAt(0.3),
      kwargs: { token: context.topic.answer.slice(4, 9) },
    });
  }
  return isEnded ? [...events, { name: "end", time: context.timeAt(1) }] : events;
}

interface Call {
  readonly model: Model;
  readonly prompt: number;
  readonly completion: number;
  readonly message: JsonObject;
  readonly extra: JsonObject & { readonly metadata: JsonObject };
}

type UsageSpelling = (call: Call) => JsonObject;

/** All locations and formats in which clients report tokens and costs. */
const USAGE_SPELLINGS: readonly [UsageSpelling, ...UsageSpelling[]] = [
  (call) => ({ outputs: { messages: [call.message], usage_metadata: usageOf(call) }, extra: call.extra }),
  (call) => ({
    outputs: {
      generations: [[{ text: call.message.content, generation_info: { finish_reason: "stop" } }]],
      llm_output: {
        token_usage: {
          prompt_tokens: call.prompt,
          completion_tokens: call.completion,
          total_tokens: call.prompt + call.completion,
        },
      },
    },
    extra: call.extra,
    prompt_cost: costOf(call.prompt, call.model.promptPicos),
    completion_cost: costOf(call.completion, call.model.completionPicos),
  }),
  (call) => ({
    outputs: { messages: [call.message] },
    extra: { ...call.extra, metadata: { ...call.extra.metadata, usage_metadata: usageOf(call) } },
  }),
  (call) => ({
    outputs: { messages: [call.message] },
    extra: call.extra,
    prompt_tokens: call.prompt,
    completion_tokens: call.completion,
    total_cost: Number(usageOf(call).total_cost),
  }),
];

function usageOf({ model, prompt, completion }: Call): JsonObject {
  const total = prompt * model.promptPicos + completion * model.completionPicos;
  return {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: prompt + completion,
    input_token_details: { cache_read: 0 },
    input_cost: Number(costOf(prompt, model.promptPicos)),
    output_cost: Number(costOf(completion, model.completionPicos)),
    total_cost: Number(printScaled(BigInt(total))),
  };
}

function costOf(tokens: number, picos: number): string {
  return printScaled(BigInt(tokens * picos));
}
