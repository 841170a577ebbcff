import { effect } from "@preact/signals";
import { render } from "preact";
import { lanesOf } from "../control/turns/lanes.ts";
import { turnPage } from "../control/turns/pages.ts";
import { createTurnIndex } from "../control/turns/turn-index.ts";
import { instantMs } from "../kernel/instant.ts";
import type { CapsuleFacts } from "../runtime/capsules/file.ts";
import { now } from "./model/clock.ts";
import { isFilm } from "./model/live.ts";
import { useResource } from "./model/resource.ts";
import { showTurnsOf, type Turn, type TurnSource, turnSource } from "./model/turns.ts";
import { Fact, Facts } from "./parts/facts.tsx";
import { showStoredTextSafely } from "./parts/stored-text.ts";
import { followAddress } from "./time/as-of.ts";
import { Axis } from "./time/axis.tsx";
import { Journal } from "./time/journal.tsx";
import { NO_LANES, readLanes } from "./time/read-lanes.ts";
import { lanesRange } from "./time/state.ts";

interface Film {
  readonly facts: CapsuleFacts;
  readonly turns: readonly Turn[];
}

/** The turns of a film as those of a world. */
function turnsInFilm(turns: readonly Turn[]): TurnSource {
  const list = {
    size: () => turns.length,
    slice: (begin: number, end: number) => turns.slice(begin, end),
    positionOf(number: number) {
      const position = turns.findIndex(({ turn }) => turn >= number);
      return position === -1 ? turns.length : position;
    },
  };
  const index = createTurnIndex();
  index.update(list);
  return {
    page: ({ limit, offset, turn, at, ...filter }) => turnPage(list, filter, { limit, offset, turn, at }),
    lanes: async (query) => lanesOf(index, query),
  };
}

/** A failure as one file: the axis and the turns of its capsule. */
function FilmPage({ film: { facts, turns } }: { readonly film: Film }) {
  const { command, version, node, seed, failure, notes } = facts;
  const range = lanesRange.value;
  const lanes = useResource("lanes", () => readLanes(turnSource()), `${range?.from} ${range?.to}`).value;
  const world = { name: "", base: "", at: now.value, lanes: lanes ?? NO_LANES, future: undefined };
  return (
    <main>
      <h1>A failure as a film</h1>
      <Facts>
        <Fact name="Command">
          <code>{command}</code>
        </Fact>
        <Fact name="Seed">{seed}</Fact>
        <Fact name="Version">
          {version}, Node {node}
        </Fact>
        <Fact name="World">
          {turns[0]?.now ?? "no turns"} – {turns.at(-1)?.now ?? ""}
        </Fact>
      </Facts>
      {failure && (
        <div class="why bad">
          <strong>{failure.label}</strong>
          <ul>
            {failure.differences.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <Axis worlds={[world]} />
      <Journal />
    </main>
  );
}

const { report: film } = JSON.parse(document.getElementById("data")?.textContent ?? "null") as {
  readonly report: Film;
};
isFilm.value = true;
showTurnsOf(turnsInFilm(film.turns));
now.value = instantMs(film.turns.at(-1)?.now ?? "1970-01-01T00:00:00Z");
showStoredTextSafely();
effect(followAddress);
render(<FilmPage film={film} />, document.body);
