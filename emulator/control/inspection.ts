import { OPEN_CHOICES } from "../../contracts/spec/alternatives.ts";
import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import { printExact } from "../../contracts/spec/exact-json.ts";
import { boolean, integer, object, optional, text, uuid } from "../../contracts/spec/fields.ts";
import type { JournalEntry } from "../kernel/journal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { runInSlices } from "../kernel/steps.ts";
import { explainRow } from "../subjects/bulk-exports/explain.ts";
import { type ControlContext, control, type Lines } from "../subjects/control-operation.ts";
import type { Settings } from "../subjects/settings.ts";
import type { World } from "../subjects/turn.ts";
import { causesOf } from "./causes.ts";
import { withUndocumented } from "./turns/entry.ts";

/** Maximum unread lines of a follower; the connection of a slower one is cut. */
const MAX_BACKLOG_LINES = 10_000;

/** Lines that a follower gets in one write. */
const MAX_LINES_AT_ONCE = 500;

/** Operations to inspect a world and to reset it. */
export const INSPECTION_OPERATIONS = [
  control({
    method: "GET",
    path: "/status",
    summary:
      "Show versions, addresses and sizes of the emulator, the error that ended the world, and whether the disk is full. With follow=1, the status is a line of JSON, and another line follows after new turns, at most ten a second.",
    query: { follow: optional(integer({ minimum: 0, maximum: 1, default: 0 })) },
    run(context, { query: { follow } }): Lines | Readonly<Record<string, unknown>> {
      if (follow !== 1) return context.status();
      context.world.requireLive();
      return { lines: followStatus(context), isEndless: true };
    },
  }),
  control({
    method: "GET",
    path: "/config",
    hasHistory: false,
    summary:
      "Show the effective configuration, and every assumption with its value, alternatives and section.",
    run: (context) => context.configuration(),
  }),
  control({
    method: "GET",
    path: "/choices",
    summary: "List the assumptions that the requests of this world have depended on so far.",
    run: ({ choices, world }) => choicesView(choices, world.ports.settings),
  }),
  control({
    method: "GET",
    path: "/journal",
    summary:
      "List every turn with its cause, one JSON object per line. Members that the specification does not define are in unknown_fields (of the request, ignored), sent_beyond (of the request, used) and answered_beyond (of the reply).",
    query: {
      since: optional(integer({ minimum: 0, default: 0 })),
      follow: optional(integer({ minimum: 0, maximum: 1, default: 0 })),
    },
    run({ world }, { query }): Lines {
      const { follow, since = 0 } = query;
      if (follow !== 1) return { lines: journalLines(world, since) };
      world.requireLive();
      return { lines: followJournal(world, since), isEndless: true };
    },
  }),
  control({
    method: "GET",
    path: "/exports/{export_id}/verify",
    summary: "Read every file of an export back and compare it with the stored trace rows.",
    run: ({ oracle }, { path, raw }) => oracle.verify((path.export_id ?? "").toLowerCase(), raw.isAbandoned),
  }),
  control({
    method: "GET",
    path: "/exports/{export_id}/explain",
    summary:
      "Explain why a trace row is in an export or not: project, window, filter, late arrival, partition, file.",
    query: { run: uuid() },
    run({ world, yieldToEventLoop }, { path, query }) {
      const exportId = (path.export_id ?? "").toLowerCase();
      const steps = explainRow(world.reader, world.ports.traces, exportId, query.run.toLowerCase());
      return runInSlices(steps, yieldToEventLoop);
    },
  }),
  control({
    method: "GET",
    path: "/why/{id}",
    summary:
      "List the turns that caused a record (such as an export, a run, a thread or a delivery), a trace row or an object (bucket/key, encoded), back to a request. With field=<path>, list those that led to the value of this field. With effects=1, also list the turns that resulted from the turn that created it.",
    query: { field: optional(text()), effects: optional(integer({ minimum: 0, maximum: 1, default: 0 })) },
    run: (context, { path, query }) => causesOf(context, path.id ?? "", query.field, query.effects === 1),
  }),
  control({
    method: "POST",
    path: "/reset",
    recorded: false,
    replaces: true,
    summary: "Reset the world to its initial state.",
    body: object({ empty: optional(boolean()) }),
    async run(context, { body }) {
      await context.reset(body.empty === true);
      return { reset: true, ...context.status() };
    },
  }),
] as const;

/** Throws a `Refusal` when the emulator does not record choices. */
function choicesView(choices: ControlContext["choices"], { assumptions }: Settings): readonly object[] {
  if (choices === undefined)
    throw new Refusal(
      409,
      "choices_not_noted",
      "This emulator does not record the assumptions that its requests depend on.",
      "Start it with server.note_choices: true (EMULATOR_SERVER__NOTE_CHOICES=true).",
    );
  const noted = OPEN_CHOICES.filter((id) => choices.has(id));
  return noted.map((id) => ({
    id,
    value: assumptions[id],
    alternatives: [],
    ...ASSUMPTIONS[id],
  }));
}

async function* journalLines(world: World, since: number): AsyncIterable<string> {
  for (const entry of world.journal.since(since)) yield line(entry);
}

/** The least time between two lines of a follower of the status. */
const STATUS_REST_MS = 100;

/** The status now and after new turns. */
function followStatus({ world, status, pause }: ControlContext): AsyncIterable<string> {
  let lastTurn = -1;
  return followed(world, {
    listen: (wake, leave) => world.journal.watch(wake, leave),
    rest: async (isOver) => {
      if (lastTurn !== -1 && !isOver) await pause(STATUS_REST_MS);
    },
    next(isOver) {
      if (world.lastTurn === lastTurn || (isOver && lastTurn !== -1)) return undefined;
      lastTurn = world.lastTurn;
      return `${JSON.stringify(status())}\n`;
    },
  });
}

/** The journal after a turn, and new turns as they are added. */
function followJournal(world: World, since: number): AsyncIterable<string> {
  const backlog: JournalEntry[] = [...world.journal.since(since)];
  // A journal may retain more turns than a follower may be late.
  const maxLines = backlog.length + MAX_BACKLOG_LINES;
  return followed(world, {
    listen: (wake, leave) =>
      world.journal.follow((entry) => {
        backlog.push(entry);
        if (backlog.length > maxLines) leave();
        else wake();
      }, leave),
    next() {
      // An error instead of an end, so that the follower knows that the journal continues.
      if (backlog.length > maxLines) throw new Error("The follower is too slow.");
      return backlog.length === 0 ? undefined : backlog.splice(0, MAX_LINES_AT_ONCE).map(line).join("");
    },
  });
}

/** What a follower waits for, and what it then receives. */
interface Followed {
  /** Calls `wake` when there may be something new, and `leave` at the end, until the returned function is called. */
  listen(wake: () => void, leave: () => void): () => void;
  /** Waits before the next text. */
  rest?(isOver: boolean): Promise<void>;
  /** The next text; undefined while there is none. */
  next(isOver: boolean): string | undefined;
}

/**
 * A hand-written iterator, because a waiting generator cannot be interrupted: a disconnected follower would
 * remain until the next turn, which may never come with a frozen clock.
 */
function followed({ defect }: World, { listen, rest, next }: Followed): AsyncIterable<string> {
  let wake = () => {};
  let isOver = defect !== undefined;
  const stopListening = listen(() => wake(), leave);
  if (isOver) stopListening();

  function leave(): void {
    isOver = true;
    stopListening();
    wake();
  }

  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        await rest?.(isOver);
        for (;;) {
          const value = next(isOver);
          if (value !== undefined) return { value, done: false };
          if (isOver) return { value: undefined, done: true };
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      async return() {
        leave();
        return { value: undefined, done: true };
      },
    }),
  };
}

function line(entry: JournalEntry): string {
  return `${printExact(withUndocumented(entry))}\n`;
}
