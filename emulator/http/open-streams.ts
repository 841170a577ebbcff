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

/** Advances a frozen clock for a request that waits for a run. */
export interface ClockStepper {
  /** Advances one step towards an instant on behalf of a run; false when time must not move now. */
  stepTowards(instant: Instant, ref: string): boolean;
  /** Undefined to go on at once, or resolves when other requests have had their turn. */
  yieldWhenDue(): Promise<void> | undefined;
}

/** Open requests that wait for or stream a run. */
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
          `${agent_streams} requests are already waiting for runs.`,
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
        // No empty line after it: that would end an event in clients.
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

/** A listener's result: a text to send, nothing yet, or the end. */
interface RunReader {
  next(): { readonly text: string; readonly isOver: boolean };
  /** The text to send when the world ends before the run. */
  textAtEnd(problem: Error): string;
}

interface RunStream {
  readonly world: World;
  readonly follow: RunSubscription;
  readonly stepper: ClockStepper | undefined;
  readonly listener: RunReader;
  readonly closed: () => void;
}

/**
 * A hand-written iterator, because a waiting generator cannot be interrupted: `return` has to wake it, so
 * that a disconnected client leaves nothing behind.
 */
function runStream({ world, follow, stepper, listener, closed }: RunStream): AsyncIterator<string> {
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
      const { text, isOver } = world.defect
        ? { text: listener.textAtEnd(world.defect), isOver: true }
        : listener.next();
      isEnd = isOver;
      return text === "" ? undefined : text;
    } finally {
      // A failed listener ends the stream.
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
          await stepper?.yieldWhenDue();
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
      return { text: step.frames.map(frameText).join(""), isOver: step.isOver };
    },
    textAtEnd: (problem) => frameText({ id: "end", event: "error", data: errorOf(problem) }),
  };
}

function outcomeFor({ reader }: World, { runId }: RunSubscription): RunReader {
  return {
    next() {
      const outcome = outcomeOf(reader, runId);
      return outcome === undefined
        ? { text: "", isOver: false }
        : { text: JSON.stringify(outcome), isOver: true };
    },
    textAtEnd: (problem) => JSON.stringify({ __error__: errorOf(problem) }),
  };
}

function errorOf(problem: Error) {
  return { error: problem instanceof Refusal ? problem.code : "Defect", message: problem.message };
}

/** Field order and line ends as observed at the public service. */
function frameText({ id, event, data }: Frame): string {
  return `event: ${event}\r\ndata: ${JSON.stringify(data)}\r\nid: ${id}\r\n\r\n`;
}
