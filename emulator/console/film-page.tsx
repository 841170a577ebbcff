import { effect } from "@preact/signals";
import { render } from "preact";
import { instantMs } from "../kernel/instant.ts";
import type { CapsuleFacts } from "../runtime/capsules/file.ts";
import { now } from "./model/clock.ts";
import { showFilm, type Turn } from "./model/live.ts";
import { Fact, Facts } from "./parts/facts.tsx";
import { showStoredTextSafely } from "./parts/stored-text.ts";
import { followAddress } from "./time/as-of.ts";
import { Axis } from "./time/axis.tsx";
import { historyNow } from "./time/history.ts";
import { Journal } from "./time/journal.tsx";
import { runBars } from "./time/lanes.tsx";

interface Film {
  readonly facts: CapsuleFacts;
  readonly turns: readonly Turn[];
}

/** A failure as one file: the axis and the turns of its capsule. */
function FilmPage({ film: { facts, turns } }: { readonly film: Film }) {
  const { command, version, node, seed, failure, notes } = facts;
  const history = historyNow();
  const exports = runBars(history.exports, "exports");
  const world = { name: "", base: "", at: now.value, history, exports, future: undefined };
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
showFilm(film.turns);
now.value = instantMs(film.turns.at(-1)?.now ?? "1970-01-01T00:00:00Z");
showStoredTextSafely();
effect(followAddress);
render(<FilmPage film={film} />, document.body);
