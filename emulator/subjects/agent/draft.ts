import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { printExact } from "../../../contracts/spec/exact-json.ts";
import { chunkTexts, messageFrom, messageMembers, textOf, tokensIn } from "./messages.ts";
import type { Span, Step, StepContent } from "./plan.ts";
import type { Checkpoint, Json } from "./records.ts";
import { bytesOf, bytesUpperBound } from "./size.ts";
import { createStateChain, type StateChain } from "./state-chain.ts";
import { merged } from "./values.ts";

/** A run that is being planned: each call is recorded at the draft's current offset from the run's start. */
export interface Draft {
  readonly at: number;
  readonly steps: readonly Step[];
  readonly spans: readonly Span[];
  /** The thread's values before the run. */
  readonly base: Json;
  /** The thread's values at the current offset. */
  readonly values: Json;
  /** The current node; names where a run stopped. */
  readonly node: string;
  /** The caller's input, with normalised messages. */
  readonly input: Json | null;
  nextId(kind: string): string;
  wait(ms: number): void;
  /** Starts the graph with the input: a state before it and one after it. */
  applyInput(): void;
  /** Continues from the thread's state, at its next node. */
  goOn(): void;
  /** Starts at a node of the graph, with the input as an update. */
  goTo(node: string): void;
  /** Starts a task; one that is still open ends without an update. */
  beginNode(node: string): void;
  /** Starts a task of the current node unless one is open. */
  ensureTask(): void;
  /** Streams a message in chunks over a duration, as a model does, and adds a trace row of type llm. */
  streamMessage(message: Json, overMs: number): Json;
  /** Adds one chunk of a message that another source produces. */
  addChunk(message: Json, chunk: Json, part: MessagePart): void;
  /** Ends the task with an update, which leads to a new state. */
  update(update: Json): void;
  /** Replaces the values, which leads to a new state. */
  replace(values: Json): void;
  /** Ends the run: a task that is still open ends without an update. */
  finish(): void;
  /** Ends the run in front of a node. */
  stopBefore(node: string): void;
  emit(mode: StreamMode, data: unknown): void;
  trace(span: Span): void;
}

export type MessagePart = Pick<Extract<StepContent, { kind: "message" }>, "first" | "last" | "alone">;

export interface DraftOptions {
  /** The state that the run starts from; undefined on a thread without one. */
  readonly from: Checkpoint | undefined;
  /** Whether `from` is an earlier state of the thread. */
  readonly forks: boolean;
  readonly input: unknown;
  /** The current node before the first `beginNode`. */
  readonly node: string;
  readonly recursionLimit: number | null;
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

/** The result of a draft. */
interface Course {
  at: number;
  node: string;
  /** Whether a task of the node is open. */
  isOpen: boolean;
  values: Json;
  readonly steps: Step[];
  readonly spans: Span[];
}

export function createDraft(options: DraftOptions): Draft {
  const { from, nextId } = options;
  const input = inputOf(options.input, () => nextId("message"));
  // Before its first input a thread has no members, or an empty list of messages.
  const base = from?.values ?? (input?.messages === undefined ? {} : { messages: [] });
  const course: Course = { at: 0, node: options.node, isOpen: false, values: base, steps: [], spans: [] };
  const states = createStateVerbs(course, input, options);
  return {
    ...states,
    ...createMessageVerbs(course, nextId),
    steps: course.steps,
    spans: course.spans,
    base,
    input,
    nextId,
    get at() {
      return course.at;
    },
    get values() {
      return course.values;
    },
    get node() {
      return course.node;
    },
    wait(ms) {
      course.at += ms;
    },
    ensureTask() {
      if (!course.isOpen) states.beginNode(course.node);
    },
    emit: (mode, data) => add(course, { kind: "told", mode, data }),
    trace: (span) => void course.spans.push(span),
  };
}

function add({ at, steps }: Course, content: StepContent): void {
  steps.push({ at, ...content });
}

/** What writes states: the input, the tasks, and the end of the run. */
function createStateVerbs(course: Course, input: Json | null, options: DraftOptions) {
  const { from, forks } = options;
  const accept = createSizeCheck(course.values, options.valuesBytes);
  const chain = createStateChain({ ...options, steps: course.steps, at: () => course.at });
  const { beginNode, endTask, finish, stopBefore } = createTasks(course, chain);
  const merge = (update: Json) => {
    course.values = accept(merged(course.values, update), update);
  };
  const mergeInput = () => {
    merge(input ?? {});
    add(course, { kind: "input", update: input ?? {} });
  };
  return {
    beginNode,
    finish,
    stopBefore,
    applyInput() {
      chain.add("input", ["__start__"]);
      mergeInput();
      chain.add("loop", []);
    },
    goOn() {
      mergeInput();
      if (forks) chain.add("fork", from?.next ?? []);
      else chain.goOn();
    },
    goTo(node) {
      mergeInput();
      chain.add("input", [node]);
    },
    update(update) {
      merge(update);
      if (!course.isOpen) beginNode(course.node);
      endTask(update);
      chain.add("loop", []);
    },
    replace(next) {
      course.values = accept(next, next);
      if (course.isOpen) endTask(null);
      add(course, { kind: "values", values: next });
      chain.add("loop", []);
    },
  } satisfies Partial<Draft>;
}

function createTasks(course: Course, chain: StateChain) {
  const endTask = (update: Json | null) => {
    add(course, { kind: "update", node: course.node, task: chain.id, update });
    course.isOpen = false;
  };
  const stopBefore = (node: string) => {
    chain.setNext([node]);
    chain.checkLimit();
  };
  const finish = () => {
    if (course.isOpen) {
      endTask(null);
      chain.add("loop", []);
    }
    chain.checkLimit();
  };
  const beginNode = (node: string) => {
    if (course.isOpen) finish();
    stopBefore(node);
    Object.assign(course, { node, isOpen: true });
    add(course, { kind: "begin", node, task: chain.id });
  };
  return { beginNode, endTask, finish, stopBefore };
}

function createMessageVerbs(
  course: Course,
  nextId: Draft["nextId"],
): Pick<Draft, "streamMessage" | "addChunk"> {
  const addChunk: Draft["addChunk"] = (message, chunk, part) => {
    // Chunks are stored without the full text: the text is the concatenation of the chunks.
    const messagePart = part.last ? message : { ...message, content: "" };
    add(course, { kind: "message", node: course.node, ...part, chunk, message: messagePart });
  };
  return {
    addChunk,
    streamMessage(message, overMs) {
      const fullMessage: Json = { ...messageMembers("ai"), type: "ai", id: nextId("message"), ...message };
      const contents = chunkTexts(textOf(fullMessage));
      const start = course.at;
      contents.forEach((chunk, index) => {
        course.at = start + Math.round((overMs * (index + 1)) / contents.length);
        const part = { first: index === 0, last: index === contents.length - 1, alone: false };
        addChunk(fullMessage, { ...fullMessage, type: "AIMessageChunk", content: chunk }, part);
      });
      course.spans.push(modelSpan(course.node, start, course.at, course.values, fullMessage));
      return fullMessage;
    },
  };
}

/** Throws `ValuesTooLarge` for values over the limit; small values are not measured exactly. */
function createSizeCheck(base: Json, valuesBytes: number): (after: Json, added: Json) => Json {
  let bytes = bytesUpperBound(base);
  return (after, added) => {
    bytes += bytesUpperBound(added);
    if (bytes > valuesBytes) bytes = bytesOf(after);
    if (bytes > valuesBytes) throw new ValuesTooLarge(bytes);
    return after;
  };
}

/** Null for no input; a value that is not an object becomes the member `input`. */
export function inputOf(input: unknown, nextId: () => string): Json | null {
  if (input === undefined || input === null) return null;
  if (typeof input !== "object" || Array.isArray(input)) return { input };
  const { messages } = input as Json;
  if (messages === undefined) return input as Json;
  const list = Array.isArray(messages) ? messages : [messages];
  return { ...input, messages: list.map((message) => messageFrom(message, nextId)) };
}

function modelSpan(node: string, from: number, to: number, values: Json, message: Json): Span {
  const prompt = Array.isArray(values.messages) ? (values.messages as readonly Json[]) : [];
  const promptTokens = prompt.reduce((sum, one) => sum + tokensIn(textOf(one)), 0);
  const completionTokens = tokensIn(textOf(message)) + tokensIn(printExact(message.tool_calls));
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
