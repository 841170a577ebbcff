import { turnsNow } from "../model/live.ts";
import { Filter, SearchField } from "../parts/list.tsx";
import { Term } from "../parts/term.tsx";
import { TurnDetail } from "./turn-detail.tsx";
import { matchingTurns, TurnList } from "./turn-list.tsx";

const TURN_KINDS = ["request", "event", "effect", "control", "object_storage", "start", "refused"];

/** The turns with a search, and the selected one. */
export function Journal() {
  const turns = turnsNow();
  const matches = matchingTurns();
  return (
    <div class="split">
      <section class="card grow" aria-label="Journal">
        <header class="row">
          <h2>
            <Term of="turn">Turns</Term>
          </h2>
          <SearchField label="Turns" />
          <Filter name="kind" text="Kind" values={TURN_KINDS} />
          <span class="muted" role="status">
            {matches.length === turns.length
              ? turns.length.toLocaleString("en")
              : `${matches.length.toLocaleString("en")} matching of ${turns.length.toLocaleString("en")}`}
          </span>
        </header>
        <TurnList />
      </section>
      <TurnDetail />
    </div>
  );
}
