import type { Commit } from "../../../kernel/commit.ts";
import { entryOf, type JournalEntry } from "../../../kernel/journal.ts";
import type { Parting } from "../../../subjects/world-difference.ts";
import type { WorldRuntime } from "../runtime.ts";
import { comparable } from "./comparable.ts";

/** Where the journals of two worlds part, as far as both histories reach. */
export function partingOf(a: WorldRuntime, b: WorldRuntime): Parting | null {
  const begin = Math.max(a.history.earliest.turn, b.history.earliest.turn);
  const [left, right] = [turnsFrom(a, begin), turnsFrom(b, begin)];
  for (const turn of [...new Set([...left.keys(), ...right.keys()])].sort((x, y) => x - y)) {
    const [one, other] = [left.get(turn), right.get(turn)];
    if (one !== other && !(one && other && textOf(one) === textOf(other))) return partingAt(turn, one, other);
  }
  return null;
}

function turnsFrom({ history, world }: WorldRuntime, begin: number): ReadonlyMap<number, Commit> {
  const found = new Map<number, Commit>();
  for (const { commit } of history.turns())
    if (commit.turn > begin && commit.turn <= world.lastTurn) found.set(commit.turn, commit);
  return found;
}

/** What a turn did, as it is compared. */
function textOf(commit: Commit): string {
  const put = Object.entries(commit.put ?? {}).map(([name, items]) => [
    name,
    items.map(({ key, record }) => [key, comparable(name, record)]),
  ]);
  return JSON.stringify([entryOf(commit), put]);
}

function partingAt(turn: number, one: Commit | undefined, other: Commit | undefined): Parting {
  const [a, b] = [one, other].map((commit) => (commit ? entryOf(commit) : null)) as [
    JournalEntry | null,
    JournalEntry | null,
  ];
  return {
    turn,
    a,
    b,
    reason: `at turn ${turn} the first has ${describeTurn(a)}, the second ${describeTurn(b)}`,
  };
}

function describeTurn(entry: JournalEntry | null): string {
  if (!entry) return "nothing that changed it";
  const { type, name, ref } = entry.cause;
  return [type, name, ref].filter(Boolean).join(" ");
}
