import type { Instant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { abandonRun, type Follow, hear, nextMoveOf, outcomeOf } from "../subjects/agent/follow.ts";
import type { Frame, Place } from "../subjects/agent/stream.ts";
import type { HttpReply } from "../subjects/message.ts";
import type { Following } from "../subjects/reply.ts";
import type { World } from "../subjects/turn.ts";

/** Lets a request that waits for a run move time that stands still. */
export interface Pace {
  /** Moves one step towards an instant, for the sake of a run; false when time is not to be moved now. */
  moveFor(instant: Instant, ref: string): boolean;
  /** Lets other requests have their turn. */
  breathe(): Promise<void>;
}

/** A run that waits behind many others takes many moves. */
const MOVES_IN_ONE_BREATH = 100;

/** Requests that stay open as a run goes. */
export interface Followers {
  /** How many there are in a world. */
  openIn(world: World): number;
  /** Refuses one more than there may be in a world; asked before a run is started for it. */
  admit(world: World): void;
  reply(world: World, following: Following, pace: Pace | undefined): HttpReply;
}

const EVENT_STREAM = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};
const JSON_TYPE = { "content-type": "application/json" };

/** Counts what is open in each world, against `limits.agent_streams`. */
export function createFollowers(): Followers {
  const open = new WeakMap<World, number>();
  const openIn = (world: World) => open.get(world) ?? 0;
  return {
    openIn,
    admit(world) {
      const { agent_streams } = world.ports.settings.limits;
      if (openIn(world) >= agent_streams)
        throw new Refusal(
          429,
          "too_many_streams",
          `${agent_streams} requests wait for runs already.`,
          "Raise limits.agent_streams.",
        );
    },
    reply(world, { follow, headers }, pace) {
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
            open.set(world, openIn(world) + 1);
            const closed = () => void open.set(world, openIn(world) - 1);
            return followed({ world, follow, pace, listener, closed });
          },
        },
      };
    },
  };
}

/** What a listener makes of the present: a text to send, or nothing yet, or the end. */
interface Listener {
  next(): { readonly text: string; readonly over: boolean };
  /** What to send when the world ends before the run does. */
  ended(problem: Error): string;
}

interface Followed {
  readonly world: World;
  readonly follow: Follow;
  readonly pace: Pace | undefined;
  readonly listener: Listener;
  readonly closed: () => void;
}

/**
 * Written by hand because a generator that waits cannot be told to stop: `return` has to wake it, so
 * that a client who goes away leaves nothing behind.
 */
function followed({ world, follow, pace, listener, closed }: Followed): AsyncIterator<string> {
  let wake = () => {};
  let isOver = false;
  let moves = 0;
  const unfollow = world.journal.follow(
    () => wake(),
    () => wake(),
  );

  function close(): void {
    if (isOver) return;
    isOver = true;
    unfollow();
    closed();
    wake();
  }

  function said(): string | undefined {
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
        const text = said();
        if (text !== undefined) return { value: text, done: false };
        if (isOver) continue;
        if (hasMoved()) {
          moves += 1;
          if (moves % MOVES_IN_ONE_BREATH === 0) await pace?.breathe();
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return { value: undefined, done: true };
    },
    async return() {
      try {
        if (!isOver && follow.onDisconnect === "cancel" && !world.defect)
          world.turn({ type: "request", name: "disconnect", ref: follow.runId }, (turn) =>
            abandonRun(turn, follow.runId),
          );
      } finally {
        close();
      }
      return { value: undefined, done: true };
    },
  };

  function hasMoved(): boolean {
    const instant = nextMoveOf(world.reader, follow.runId);
    return instant !== undefined && (pace?.moveFor(instant, follow.runId) ?? false);
  }
}

function streamOf({ reader }: World, follow: Follow): Listener {
  let place: Place = follow.after;
  return {
    next() {
      const heard = hear(reader, follow, place);
      place = heard.place;
      return { text: heard.frames.map(frameText).join(""), over: heard.over };
    },
    ended: (problem) => frameText({ id: "end", event: "error", data: errorOf(problem) }),
  };
}

function outcomeFor({ reader }: World, { runId }: Follow): Listener {
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
