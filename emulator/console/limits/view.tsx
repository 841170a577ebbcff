import { control } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { turnsNow } from "../model/live.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { Explain } from "./explain.tsx";
import { type Limits, Meters } from "./meters.tsx";

/** The meters in use, the last refusal, and the row that decides on a request. */
export function LimitsView() {
  const resource = useResource("limits", () => client.call<Limits>("GET", "/rate-limits"));
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

function LastRefused() {
  const last = turnsNow().findLast(({ refused }) => refused?.status === 429);
  if (!last) return null;
  return (
    <p class="why wait">
      Refused last: turn <a href={addressOf("time", null, { turn: last.turn })}>{last.turn}</a> at{" "}
      <Time at={last.now} />. <strong>{last.refused?.message}</strong>
    </p>
  );
}
