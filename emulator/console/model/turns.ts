import type { Lanes, LanesQuery } from "../../control/turns/lanes.ts";
import type { TurnFilter, TurnPage } from "../../control/turns/pages.ts";
import { formatInstant } from "../../kernel/instant.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { present } from "./client.ts";

/** A turn of the journal, with the fields that the specification does not define. */
export interface Turn extends JournalEntry {
  readonly unknown_fields?: readonly string[];
  readonly sent_beyond?: readonly string[];
  readonly answered_beyond?: readonly string[];
}

/** A page of the turns; `at` is an instant (ms). Without a place it has the newest turns. */
export interface TurnQuery extends TurnFilter {
  readonly limit: number;
  readonly offset?: number;
  readonly turn?: number;
  readonly at?: number;
}

function read<T>(path: string, parameters: Readonly<Record<string, unknown>>): Promise<T> {
  const query = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return present.call<T>(
    "GET",
    `${path}?${new URLSearchParams(query.map(([name, value]) => [name, `${value}`]))}`,
  );
}

/** A page of the turns of this world. */
export function readTurns({ at, ...query }: TurnQuery): Promise<TurnPage<Turn>> {
  return read("/turns", { ...query, at: at === undefined ? at : formatInstant(at) });
}

/** The lanes of the turns of this world. */
export function requestLanes({ from, to, stepMs, ...query }: LanesQuery): Promise<Lanes> {
  return read("/lanes", {
    ...query,
    from: from === undefined ? from : formatInstant(from),
    to: to === undefined ? to : formatInstant(to),
    step_ms: stepMs,
  });
}

/** One turn, or the last one at or before an instant; undefined if it is no longer retained. */
export async function readTurn(place: { readonly turn: number } | { readonly at: number }) {
  const [item] = (await readTurns({ limit: 1, ...place })).items;
  return "turn" in place && item?.turn !== place.turn ? undefined : item;
}

/** The turn so many places after or before another one; undefined beyond the first and the last turn. */
export async function neighbourOf(turn: number, by: 1 | -1): Promise<Turn | undefined> {
  const { items } = await readTurns({ turn, limit: 3 });
  return items[items.findIndex((each) => each.turn === turn) + by];
}
