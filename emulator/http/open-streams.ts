import { printExact } from "../../contracts/spec/exact-json.ts";
import type { Instant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import {
  cancelUnreadRun,
  nextChangeAt,
  outcomeOf,
  type RunSubscription,
  readStream,
} from "../subjects/agent/run-subscription.ts";
import type { Frame, StreamPosition } from "../subjects/agent/stream.ts";
import { nextThreadChange, openThreadStream } from "../subjects/agent/thread-subscription.ts";
import type { HttpReply } from "../subjects/message.ts";
import type { StreamReply, Subscription } from "../subjects/reply.ts";
import type { World } from "../subjects/turn.ts";

/** Advances a frozen clock for a request that waits for a run. */
export interface ClockStepper {
  /** Advances one step towards an instant on behalf of a run; false when time must not move now. */
  stepTowards(instant: Instant, ref: string): boolean;
  /** Undefined to continue at once, or resolves when other requests have had their turn. */
  yieldWhenDue(): Promise<void> | undefined;
}

/** Open requests that wait for a run, or stream a run or a thread. */
export interface OpenStreams {
  /** Number of open requests in a world. */
  countIn(world: World): number;
  /** Throws `Refusal` when the limit of a world is reached; called before a run is started. */
  admit(world: World): void;
  reply(world: World, streamReply: StreamReply, stepper: ClockStepper | undefined): HttpReply;
}

const EVENT_STREAM = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};
const JSON_TYPE = { "content-type": "application/json" };

/** Counts open requests in each world against `limits.agent_streams`. */
export function createOpenStreams(): OpenStreams {
  const open = new WeakMap<World, number>();
  const countIn = (world: World) => open.get(world) ?? 0;
  return {
    countIn,
    admit(world) {
      const { agent_streams } = world.ports.settings.limits;
      if (countIn(world) >= agent_streams)
        throw new Refusal(
          429,
          "too_many_streams",
          `${agent_streams} requests of this world are already waiting for runs, the maximum.`,
          "Wait until one of them ends, or raise limits.agent_streams.",
        );
    },
    reply(world, { follow: subscription, headers }, stepper) {
      const isStream = subscription.as !== "outcome";
      const reader = readerFor(world, subscription);
      const { agent_heartbeat_ms } = world.ports.settings.timings;
      return {
        status: 200,
        headers: { ...(isStream ? EVENT_STREAM : JSON_TYPE), ...headers },
        // No empty line after it: that would end an event in clients.
        keepAlive: { text: isStream ? ": heartbeat\r\n" : "\n", everyMs: agent_heartbeat_ms },
        body: {
          [Symbol.asyncIterator]() {
            open.set(world, countIn(world) + 1);
            const release = () => void open.set(world, countIn(world) - 1);
            return runStream({ world, subscription, stepper, reader, closed: release });
          },
        },
      };
    },
  };
}

/** Reads a run or thread for its request: the next text to send (empty for nothing yet), and whether it is the last one. */
interface RunReader {
  next(): { readonly text: string; readonly isOver: boolean };
  /** The text to send when the world ends first. */
  textAtEnd(problem: Error): string;
}

interface RunStream {
  readonly world: World;
  readonly subscription: Subscription;
  readonly stepper: ClockStepper | undefined;
  readonly reader: RunReader;
  readonly closed: () => void;
}

/**
 * A hand-written iterator, because a waiting generator cannot be interrupted: `return` has to wake it, so
 * that a disconnected client leaves nothing open.
 */
function runStream({ world, subscription, stepper, reader, closed }: RunStream): AsyncIterator<string> {
  let notify = () => {};
  let isOver = false;
  const unfollow = world.journal.follow(
    () => notify(),
    () => notify(),
  );

  function close(): void {
    if (isOver) return;
    isOver = true;
    unfollow();
    closed();
    notify();
  }

  function nextText(): string | undefined {
    let isEnd = true;
    try {
      const { text, isOver: isLast } = world.defect
        ? { text: reader.textAtEnd(world.defect), isOver: true }
        : reader.next();
      isEnd = isLast;
      return text === "" ? undefined : text;
    } finally {
      // A reader that throws ends the stream.
      if (isEnd) close();
    }
  }

  return {
    async next() {
      while (!isOver) {
        const text = nextText();
        if (text !== undefined) return { value: text, done: false };
        if (isOver) continue;
        if (stepClock(world, subscription, stepper)) await stepper?.yieldWhenDue();
        else
          await new Promise<void>((resolve) => {
            notify = resolve;
          });
      }
      return { value: undefined, done: true };
    },
    async return() {
      try {
        if (!isOver) cancelOnDisconnect(world, subscription);
      } finally {
        close();
      }
      return { value: undefined, done: true };
    },
  };
}

/** Moves a frozen clock towards the next change of the run or thread; false when time must not move now. */
function stepClock(
  { reader }: World,
  subscription: Subscription,
  stepper: ClockStepper | undefined,
): boolean {
  const [instant, ref] =
    subscription.as === "thread"
      ? [nextThreadChange(reader, subscription.thread), subscription.thread]
      : [nextChangeAt(reader, subscription.runId), subscription.runId];
  return instant !== undefined && (stepper?.stepTowards(instant, ref) ?? false);
}

function cancelOnDisconnect(world: World, subscription: Subscription): void {
  if (subscription.as === "thread" || subscription.onDisconnect !== "cancel" || world.defect) return;
  const { runId } = subscription;
  const cause = { type: "request", name: "disconnect", ref: runId } as const;
  world.turn(cause, (turn) => cancelUnreadRun(turn, runId));
}

function readerFor(world: World, subscription: Subscription): RunReader {
  if (subscription.as === "outcome") return outcomeFor(world, subscription);
  const readNext =
    subscription.as === "thread"
      ? openThreadStream(world.reader, world.ports.settings, subscription)
      : streamOf(world, subscription);
  return {
    next() {
      const { frames, isOver } = readNext();
      return { text: frames.map(frameText).join(""), isOver };
    },
    textAtEnd: (problem) => frameText({ id: "end", event: "error", data: errorOf(problem) }),
  };
}

function streamOf({ reader }: World, subscription: RunSubscription) {
  let position: StreamPosition = subscription.after;
  return () => {
    const step = readStream(reader, subscription, position);
    position = step.position;
    return step;
  };
}

function outcomeFor({ reader }: World, { runId }: RunSubscription): RunReader {
  return {
    next() {
      const outcome = outcomeOf(reader, runId);
      return outcome === undefined
        ? { text: "", isOver: false }
        : { text: printExact(outcome), isOver: true };
    },
    textAtEnd: (problem) => JSON.stringify({ __error__: errorOf(problem) }),
  };
}

function errorOf(problem: Error) {
  return { error: problem instanceof Refusal ? problem.code : "Defect", message: problem.message };
}

/** Field order and line ends as observed at the public service. */
function frameText({ id, event, data }: Frame): string {
  return `event: ${event}\r\ndata: ${printExact(data)}\r\nid: ${id}\r\n\r\n`;
}
