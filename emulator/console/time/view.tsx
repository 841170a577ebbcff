import { now } from "../model/clock.ts";
import { count } from "../model/count.ts";
import { useResource } from "../model/resource.ts";
import { Term } from "../parts/term.tsx";
import { Axis } from "./axis.tsx";
import { Journal } from "./journal.tsx";
import { RangeChanges } from "./range.tsx";
import { NO_LANES, readLanes } from "./read-lanes.ts";
import { lanesRange, lookAhead } from "./state.ts";

/** The home view: the axis of virtual time above, the turns with their causes below. */
export function TimeView() {
  const range = lanesRange.value;
  const lanes = useResource("lanes", () => readLanes(), `${range?.from} ${range?.to}`);
  const future = useResource("future", lookAhead, "future", DRY_RUN_REST_MS);
  return (
    <>
      <h1 class="hidden">Time</h1>
      <Axis world={{ at: now.value, lanes: lanes.value ?? NO_LANES, future: future.value }} />
      <FutureNote future={future.value} />
      <RangeChanges />
      <Journal />
    </>
  );
}

/** A dry run is expensive: it waits until no turn has arrived for this time. */
const DRY_RUN_REST_MS = 500;

function FutureNote({ future }: { future: Awaited<ReturnType<typeof lookAhead>> | undefined }) {
  if (!future) return null;
  const [first] = future.fired;
  const events = count(future.fired.length, "event");
  return (
    <p class="muted note">
      {first && future.problem === null && (
        <>
          Ahead: {events} from a <Term of="dryRun">dry run</Term>; the next is {first.kind}.{" "}
        </>
      )}
      {future.problem ??
        (first
          ? future.assumed.join(" ")
          : "Nothing is due but deadlines: create an export, a run or a cron, and it shows here.")}
    </p>
  );
}
