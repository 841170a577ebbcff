import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { chunkTexts, messageFrom, textOf, tokensIn } from "./messages.ts";
import type { Span, Step, StepContent } from "./plan.ts";
import type { Json, Values } from "./records.ts";
import { bytesOf, bytesUpperBound } from "./size.ts";
import { merged } from "./values.ts";

/** A run that is being planned: each call is recorded at the draft's current offset from the run's start. */
export interface Draft {
  readonly at: number;
  readonly steps: readonly Step[];
  readonly spans: readonly Span[];
  /** The thread's values at the current offset. */
  readonly values: Values;
  /** The current node; names where a run stopped. */
  readonly node: string;
  /** The caller's input, with normalised messages. */
  readonly input: Json | null;
  nextId(kind: string): string;
  wait(ms: number): void;
  applyInput(): void;
  beginNode(node: string): void;
  /** Streams a message in chunks over a duration, as a model does, and adds a trace row of type llm. */
  streamMessage(message: Json, overMs: number): Json;
  /** Adds one chunk of a message that another source produces. */
  addChunk(message: Json, chunk: Json, first: boolean, last: boolean): void;
  update(update: Json): void;
  replace(values: Json): void;
  emit(mode: StreamMode, data: unknown): void;
  trace(span: Span): void;
}

export interface DraftOptions {
  readonly base: Values;
  readonly input: unknown;
  /** The current node before the first `beginNode`. */
  readonly node: string;
  readonly keptMessages: number;
  /** Most bytes of values that the thread may hold. */
  readonly valuesBytes: number;
  nextId(kind: string): string;
}

/** Thrown by an update that would exceed the limit for a thread's values; the draft is unchanged. */
export class ValuesTooLarge extends Error {
  override readonly name = "ValuesTooLarge";
  readonly bytes: number;

  constructor(bytes: number) {
    super(`${bytes} bytes of values`);
    this.bytes = bytes;
  }
}

export function createDraft(options: DraftOptions): Draft {
  const { nextId, keptMessages } = options;
  const accept = createSizeCheck(options);
  const steps: Step[] = [];
  const spans: Span[] = [];
  const input = inputOf(options.input, () => nextId("message"));
  let [at, node, task, values] = [0, options.node, "", options.base];
  const add = (content: StepContent) => void steps.push({ at, ...content });

  const draft: Draft = {
    steps,
    spans,
    input,
    nextId,
    get at() {
      return at;
    },
    get values() {
      return values;
    },
    get node() {
      return node;
    },
    wait(ms) {
      at += ms;
    },
    applyInput() {
      if (!input) return;
      values = accept(merged(values, input, keptMessages), input);
      add({ kind: "input", update: input });
    },
    beginNode(name) {
      [node, task] = [name, nextId("agent_task")];
      add({ kind: "begin", node, task });
    },
    streamMessage(message, overMs) {
      const fullMessage: Json = { type: "ai", id: nextId("message"), tool_calls: [], ...message };
      const contents = chunkTexts(textOf(fullMessage));
      const from = at;
      contents.forEach((piece, index) => {
        at = from + Math.round((overMs * (index + 1)) / contents.length);
        const [first, last] = [index === 0, index === contents.length - 1];
        draft.addChunk(fullMessage, { ...fullMessage, type: "AIMessageChunk", content: piece }, first, last);
      });
      spans.push(modelSpan(node, from, at, values, fullMessage));
      return fullMessage;
    },
    addChunk(message, chunk, first, last) {
      // Chunks are stored without the full text: the text is the concatenation of the chunks.
      const kept = last ? message : { ...message, content: "" };
      add({ kind: "message", node, first, last, chunk, message: kept });
    },
    update(update) {
      values = accept(merged(values, update, keptMessages), update);
      add({ kind: "update", node, task, update });
    },
    replace(next) {
      values = accept(next, next);
      add({ kind: "values", values: next });
    },
    emit: (mode, data) => add({ kind: "told", mode, data }),
    trace: (span) => void spans.push(span),
  };
  return draft;
}

/** Throws `ValuesTooLarge` for values over the limit; small values are not measured exactly. */
function createSizeCheck({ base, valuesBytes }: DraftOptions): (after: Json, added: Json) => Json {
  let bytes = bytesUpperBound(base);
  return (after, added) => {
    bytes += bytesUpperBound(added);
    if (bytes > valuesBytes) bytes = bytesOf(after);
    if (bytes > valuesBytes) throw new ValuesTooLarge(bytes);
    return after;
  };
}

/** Null for no input; a value that is not an object becomes the member `input`. */
function inputOf(input: unknown, nextId: () => string): Json | null {
  if (input === undefined || input === null) return null;
  if (typeof input !== "object" || Array.isArray(input)) return { input };
  const { messages } = input as Json;
  if (messages === undefined) return input as Json;
  const list = Array.isArray(messages) ? messages : [messages];
  return { ...input, messages: list.map((message) => messageFrom(message, nextId)) };
}

function modelSpan(node: string, from: number, to: number, values: Values, message: Json): Span {
  const prompt = Array.isArray(values?.messages) ? (values.messages as readonly Json[]) : [];
  const promptTokens = prompt.reduce((sum, one) => sum + tokensIn(textOf(one)), 0);
  const completionTokens = tokensIn(textOf(message)) + tokensIn(JSON.stringify(message.tool_calls));
  return {
    name: `${node}-model`,
    run_type: "llm",
    from,
    to,
    inputs: { messages: prompt },
    outputs: { message },
    extra: {
      metadata: { ls_model_name: `${node}-model`, ls_provider: "emulator", ls_model_type: "chat" },
      usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
    },
  };
}
