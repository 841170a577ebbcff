import { control } from "../model/actions.ts";
import { useReply } from "../model/looks.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { readTurns } from "../model/turns.ts";
import { Action } from "../parts/action.tsx";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { Explain } from "./explain.tsx";
import { type Limits, Meters } from "./meters.tsx";

/** The meters in use, the last refusal, and the row that decides on a request. */
export function LimitsView() {
  const resource = useReply("The limits", "/rate-limits", lookAtLimits);
  return (
    <>
      <header class="row">
        <h1>Limits</h1>
        <span class="spacer" />
        <Action label="Reset every counter" call={control("POST", "/rate-limits/reset", {})} />
      </header>
      <LastRefused />
      <Loaded resource={resource}>{(limits) => <Meters limits={limits} />}</Loaded>
      <Explain />
    </>
  );
}

function lookAtLimits({ enabled, rows }: Limits) {
  return {
    enabled,
    rows: rows.map(({ row, us, eu }) => ({ row, us: lookAtRegion(us), eu: lookAtRegion(eu) })),
  };
}

function lookAtRegion({ in_use, tripped_remaining }: Limits["rows"][number]["us"]) {
  return {
    ...(tripped_remaining !== undefined && { tripped_remaining }),
    in_use: in_use.map(({ used, remaining }) => ({ used, remaining })),
  };
}

function LastRefused() {
  const refusals = useResource("last refusal", () => readTurns({ status: 429, limit: 1 }));
  const last = refusals.value?.items[0];
  if (!last) return null;
  return (
    <p class="why wait">
      Refused last: turn <a href={addressOf("time", null, { turn: last.turn })}>{last.turn}</a> at{" "}
      <Time at={last.now} />. <strong>{last.refused?.message}</strong>
    </p>
  );
}
