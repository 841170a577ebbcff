import { control, runningAction } from "../model/actions.ts";
import { clock, visibleInstant } from "../model/clock.ts";
import { connection } from "../model/live.ts";
import { worldName } from "../model/world-address.ts";
import { Action } from "../parts/action.tsx";
import { AdvanceBy } from "../parts/advance-by.tsx";
import { spanOf, timeOf } from "../parts/time.tsx";
import { JumpButton } from "./jump.tsx";

/** The clock of the world and its controls, on every view. */
export function ClockBar() {
  const view = clock.value;
  const isFlowing = view?.mode === "flowing";
  return (
    <header class="clock-bar">
      <span class="brand">
        <span aria-hidden="true" class="brand-glyph">
          ◷
        </span>
        <strong>emulator</strong>
        <span class="world" title="World">
          {worldName}
        </span>
      </span>
      <span class="now">
        <span class="mono now-time">{view ? timeOf(visibleInstant()).slice(0, 19) : "…"}</span>
        <span class={`pill ${isFlowing ? "good" : "off"}`}>
          <span aria-hidden="true">{isFlowing ? "▶" : "❚❚"}</span>{" "}
          {isFlowing ? `flowing ×${view.rate}` : "frozen"}
        </span>
        {view && view.behind_ms > 0 && <span class="pill bad">behind by {spanOf(view.behind_ms)}</span>}
      </span>
      <span class="clock-actions">
        {isFlowing ? (
          <Action label="Freeze" call={control("POST", "/clock/freeze", {})} />
        ) : (
          <Action label="Let it flow" call={control("POST", "/clock/flow", { rate: 1 })} />
        )}
        <Action label="Next event" call={control("POST", "/clock/advance", { next: 1 })} />
        <AdvanceBy />
      </span>
      <JumpButton />
      <span class={`pill ${connection.value === "live" ? "good" : "wait"}`} role="status">
        <span aria-hidden="true">{connection.value === "live" ? "●" : "○"}</span>{" "}
        {runningAction.value === null ? connection.value : "working …"}
      </span>
    </header>
  );
}
