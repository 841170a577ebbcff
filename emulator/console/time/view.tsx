import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import type { ListPage } from "../../subjects/control-list.ts";
import { present } from "../model/client.ts";
import { count } from "../model/count.ts";
import { turnsNow } from "../model/live.ts";
import { useResource } from "../model/resource.ts";
import { Filter, SearchField } from "../parts/list.tsx";
import { Axis } from "./axis.tsx";
import { historyNow } from "./history.ts";
import { lookAhead } from "./state.ts";
import { TurnDetail } from "./turn-detail.tsx";
import { matchingTurns, TurnList } from "./turn-list.tsx";

/** The home view: the axis of virtual time above, the turns with their causes below. */
export function TimeView() {
  const turns = turnsNow();
  const matches = matchingTurns();
  const exports = useResource("exports", () =>
    present.call<ListPage<ExportOverview>>("GET", `/exports?counts=1&limit=${MAX_DRAWN_EXPORTS}`),
  );
  const future = useResource("future", lookAhead, "future", DRY_RUN_REST_MS);
  return (
    <>
      <h1 class="hidden">Time</h1>
      <Axis
        history={historyNow()}
        exports={exports.value?.items ?? []}
        future={future.value}
        totals={exports.value ? { Exports: exports.value.total } : {}}
      />
      <FutureNote future={future.value} />
      <div class="split">
        <section class="card grow" aria-label="Journal">
          <header class="row">
            <h2>Turns</h2>
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
    </>
  );
}

/** A dry run is expensive: it waits until no turn has arrived for this time. */
const DRY_RUN_REST_MS = 500;
const MAX_DRAWN_EXPORTS = 1000;
const TURN_KINDS = ["request", "event", "effect", "control", "object_storage", "start", "refused"];

function FutureNote({ future }: { future: Awaited<ReturnType<typeof lookAhead>> | undefined }) {
  if (!future) return null;
  const [first] = future.fired;
  return (
    <p class="muted note">
      {future.problem ??
        (first
          ? `Ahead: ${count(future.fired.length, "event")} from a dry run; the next is ${first.kind}. ${future.assumed.join(" ")}`
          : "Nothing is due but deadlines: create an export, a run or a cron, and it shows here.")}
    </p>
  );
}
