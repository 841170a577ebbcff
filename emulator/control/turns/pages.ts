import { printExact } from "../../../contracts/spec/exact-json.ts";
import { firstIndex } from "../../kernel/first-index.ts";
import { type Instant, instantMs } from "../../kernel/instant.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { containing } from "../../kernel/text-search.ts";
import type { TurnList } from "./turn-index.ts";

/** Kinds of turns: those of their causes, refusals, and turns in which a fault triggered. */
export const TURN_KINDS = [
  "request",
  "event",
  "effect",
  "control",
  "object_storage",
  "start",
  "refused",
  "fault",
] as const;

/** Which turns a list has. */
export interface TurnFilter {
  readonly kind?: (typeof TURN_KINDS)[number] | undefined;
  /** In the cause, the notes, the error or the records, whatever the case. */
  readonly text?: string | undefined;
  /** The id that the cause is about. */
  readonly ref?: string | undefined;
  /** The status of a refusal. */
  readonly status?: number | undefined;
}

/** The place of a page: a position, around a turn, or before an instant. By default it has the newest turns. */
export interface PagePlace {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly turn?: number | undefined;
  readonly at?: Instant | undefined;
}

/** Turns of a list, oldest first. */
export interface TurnPage<T = JournalEntry> {
  readonly items: readonly T[];
  /** The position of the first one among the matching turns; 0 is the oldest. */
  readonly offset: number;
  /** The number of turns that match the filter. */
  readonly matching: number;
  /** The number of all turns. */
  readonly total: number;
  /** The oldest turn that is retained; 0 without turns. */
  readonly first_turn: number;
}

/** The numbers of the turns that match a filter, up to a turn. */
export interface Matches {
  turns: number[];
  upTo: number;
}

/** Turns that are read before other work may run. */
const TURNS_AT_ONCE = 1_000;

/** A page of the turns of a list. `matches` are those of the last page with the same filter, which it extends. */
export async function turnPage(
  list: TurnList,
  filter: TurnFilter,
  place: PagePlace,
  matches: Matches,
  rest: () => Promise<void>,
): Promise<TurnPage> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (isFiltered) await extend(matches, list, filter, rest);
  const first_turn = list.slice(0, 1)[0]?.turn ?? 0;
  // Those of dropped turns are forgotten, so that there are never more matches than turns.
  matches.turns = matches.turns.filter((turn) => turn >= first_turn);
  const turns = isFiltered ? matches.turns : undefined;
  const entriesIn = (begin: number, end: number) =>
    turns ? turns.slice(begin, end).flatMap((turn) => entryOf(list, turn)) : list.slice(begin, end);
  const matching = turns?.length ?? list.size();
  const offset = offsetOf(
    place,
    matching,
    (position) => entriesIn(position, position + 1)[0] as JournalEntry,
  );
  return {
    items: entriesIn(offset, offset + place.limit),
    offset,
    matching,
    total: list.size(),
    first_turn,
  };
}

async function extend(matches: Matches, list: TurnList, filter: TurnFilter, rest: () => Promise<void>) {
  const hasText = filter.text === undefined ? () => true : containing(filter.text.toLowerCase());
  for (;;) {
    const begin = list.positionOf(matches.upTo + 1);
    if (begin >= list.size()) return;
    for (const entry of list.slice(begin, begin + TURNS_AT_ONCE)) {
      if (doesMatch(entry, filter, hasText)) matches.turns.push(entry.turn);
      matches.upTo = entry.turn;
    }
    await rest();
  }
}

function doesMatch(
  entry: JournalEntry,
  { kind, text, ref, status }: TurnFilter,
  hasText: (text: string) => boolean,
): boolean {
  const { turn, cause, refused, notes, put } = entry;
  return (
    (kind === undefined || isOfKind(entry, kind)) &&
    (ref === undefined || cause.ref === ref) &&
    (status === undefined || refused?.status === status) &&
    (text === undefined || hasText(printExact({ turn, cause, refused, notes, put }).toLowerCase()))
  );
}

function isOfKind({ cause, refused, notes = [] }: JournalEntry, kind: string): boolean {
  if (kind === "refused") return refused !== undefined;
  return kind === "fault" ? notes.some((note) => note.kind === "fault.triggered") : cause.type === kind;
}

function entryOf(list: TurnList, turn: number): readonly JournalEntry[] {
  const position = list.positionOf(turn);
  return list.slice(position, position + 1);
}

function offsetOf(
  { limit, offset, turn, at }: PagePlace,
  length: number,
  entryAt: (position: number) => JournalEntry,
): number {
  const last = Math.max(0, length - limit);
  const within = (position: number) => Math.max(0, Math.min(position, last));
  if (offset !== undefined) return Math.min(offset, length);
  if (turn !== undefined)
    return within(firstIndex(length, (position) => entryAt(position).turn >= turn) - (limit >> 1));
  if (at === undefined) return last;
  return within(firstIndex(length, (position) => instantMs(entryAt(position).now) > at) - limit);
}
