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
import type { HttpReply } from "../subjects/message.ts";
import type { StreamReply } from "../subjects/reply.ts";
import type { World } from "../subjects/turn.ts";

/** Lets a request that waits for a run move time that stands still. */
export interface ClockStepper {
  /** Moves one step towards an instant, for the sake of a run; false when time is not to be moved now. */
  stepTowards(instant: Instant, ref: string): boolean;
  /** Lets other requests have their turn. */
  yieldToEventLoop(): Promise<void>;
}

/** A run that waits behind many others takes many moves. */
const STEPS_PER_YIELD = 100;

/** Requests that stay open as a run goes. */
export interface OpenStreams {
  /** How many there are in a world. */
  countIn(world: World): number;
  /** Refuses one more than there may be in a world; asked before a run is started for it. */
  admit(world: World): void;
  reply(world: World, streamReply: StreamReply, stepper: ClockStepper | undefined): HttpReply;
}

const EVENT_STREAM = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};
const JSON_TYPE = { "content-type": "application/json" };

/** Counts what is open in each world, against `limits.agent_streams`. */
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
          `${agent_streams} requests wait for runs already.`,
          "Raise limits.agent_streams.",
        );
    },
    reply(world, { follow, headers }, stepper) {
      const listener = follow.as === "stream" ? streamOf(world, follow) : outcomeFor(world, follow);
      const { agent_heartbeat_ms } = world.ports.settings.timings;
      const isStream = follow.as === "stream";
      return {
        status: 200,
        headers: { ...(isStream ? EVENT_STREAM : JSON_TYPE), ...headers },
        // One line: an empty one behind it would end an event that clients take for one of theirs.
        keepAlive: { text: isStream ? ": heartbeat\r\n" : "\n", everyMs: agent_heartbeat_ms },
        body: {
          [Symbol.asyncIterator]() {
            open.set(world, countIn(world) + 1);
            const closed = () => void open.set(world, countIn(world) - 1);
            return runStream({ world, follow, stepper, listener, closed });
          },
        },
      };
    },
  };
}

/** What a listener makes of the present: a text to send, or nothing yet, or the end. */
interface RunReader {
  next(): { readonly text: string; readonly over: boolean };
  /** What to send when the world ends before the run does. */
  ended(problem: Error): string;
}

interface RunStream {
  readonly world: World;
  readonly follow: RunSubscription;
  readonly stepper: ClockStepper | undefined;
  readonly listener: RunReader;
  readonly closed: () => void;
}

/**
 * Written by hand because a generator that waits cannot be told to stop: `return` has to wake it, so
 * that a client who goes away leaves nothing behind.
 */
function runStream({ world, follow, stepper, listener, closed }: RunStream): AsyncIterator<string> {
  let notify = () => {};
  let isOver = false;
  let steps = 0;
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
      const { text, over } = world.defect
        ? { text: listener.ended(world.defect), over: true }
        : listener.next();
      isEnd = over;
      return text === "" ? undefined : text;
    } finally {
      // A listener that fails has nothing more to say, either.
      if (isEnd) close();
    }
  }

  return {
    async next() {
      while (!isOver) {
        const text = nextText();
        if (text !== undefined) return { value: text, done: false };
        if (isOver) continue;
        if (hasStepped()) {
          steps += 1;
          if (steps % STEPS_PER_YIELD === 0) await stepper?.yieldToEventLoop();
          continue;
        }
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
      return { value: undefined, done: true };
    },
    async return() {
      try {
        if (!isOver && follow.onDisconnect === "cancel" && !world.defect)
          world.turn({ type: "request", name: "disconnect", ref: follow.runId }, (turn) =>
            cancelUnreadRun(turn, follow.runId),
          );
      } finally {
        close();
      }
      return { value: undefined, done: true };
    },
  };

  function hasStepped(): boolean {
    const instant = nextChangeAt(world.reader, follow.runId);
    return instant !== undefined && (stepper?.stepTowards(instant, follow.runId) ?? false);
  }
}

function streamOf({ reader }: World, follow: RunSubscription): RunReader {
  let place: StreamPosition = follow.after;
  return {
    next() {
      const step = readStream(reader, follow, place);
      place = step.position;
      return { text: step.frames.map(frameText).join(""), over: step.isOver };
    },
    ended: (problem) => frameText({ id: "end", event: "error", data: errorOf(problem) }),
  };
}

function outcomeFor({ reader }: World, { runId }: RunSubscription): RunReader {
  return {
    next() {
      const outcome = outcomeOf(reader, runId);
      return outcome === undefined
        ? { text: "", over: false }
        : { text: JSON.stringify(outcome), over: true };
    },
    ended: (problem) => JSON.stringify({ __error__: errorOf(problem) }),
  };
}

function errorOf(problem: Error) {
  return { error: problem instanceof Refusal ? problem.code : "Defect", message: problem.message };
}

/** Order and line ends as the public service was seen to write them. */
function frameText({ id, event, data }: Frame): string {
  return `event: ${event}\r\ndata: ${JSON.stringify(data)}\r\nid: ${id}\r\n\r\n`;
}
