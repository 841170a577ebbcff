import { TURN_KINDS } from "../../control/turns/pages.ts";
import { Filter, SearchField } from "../parts/list.tsx";
import { Term } from "../parts/term.tsx";
import { TurnDetail } from "./turn-detail.tsx";
import { TurnList, useTurnPage } from "./turn-list.tsx";

/** The turns with a search, and the selected one. */
export function Journal() {
  const turns = useTurnPage();
  const { matching, total } = turns.page;
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
            {matching === total
              ? total.toLocaleString("en")
              : `${matching.toLocaleString("en")} matching of ${total.toLocaleString("en")}`}
          </span>
        </header>
        <TurnList {...turns} />
      </section>
      <TurnDetail />
    </div>
  );
}
