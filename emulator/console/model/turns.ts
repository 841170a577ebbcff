import type { ControlClient } from "../../client/control-client.ts";
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

/** Where turns are read. */
export interface TurnSource {
  page(query: TurnQuery): Promise<TurnPage<Turn>>;
  lanes(query: LanesQuery): Promise<Lanes>;
}

/** The turns of a world of the emulator. */
export function turnsOf(client: ControlClient): TurnSource {
  const read = <T>(path: string, parameters: Readonly<Record<string, unknown>>) => {
    const query = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return client.call<T>(
      "GET",
      `${path}?${new URLSearchParams(query.map(([name, value]) => [name, `${value}`]))}`,
    );
  };
  return {
    page: ({ at, ...query }) => read("/turns", { ...query, at: at === undefined ? at : formatInstant(at) }),
    lanes: ({ from, to, stepMs, ...query }) =>
      read("/lanes", {
        ...query,
        from: from === undefined ? from : formatInstant(from),
        to: to === undefined ? to : formatInstant(to),
        step_ms: stepMs,
      }),
  };
}

const source = turnsOf(present);

/** The source of the turns that the page shows. */
export function turnSource(): TurnSource {
  return source;
}

/** A page of the turns that the page shows. */
export function readTurns(query: TurnQuery): Promise<TurnPage<Turn>> {
  return source.page(query);
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
