import { useState } from "preact/hooks";
import { control, perform } from "../model/actions.ts";
import { revision } from "../model/live.ts";
import { pathOf } from "../model/world-address.ts";
import { Action } from "./action.tsx";

const SPANS = { PT1M: "1 min", PT1H: "1 h", PT6H10M: "6 h 10 min", P1D: "1 day", P7D: "7 days" };

/** Advances this world by a span of time, and then another one by the same span. */
export function AdvanceBy({ other }: { readonly other?: string }) {
  const [by, setBy] = useState("PT1H");
  const call = control("POST", "/clock/advance", { by });
  const path = other === undefined ? "" : pathOf(other) + call.path;
  const advanceOther = async () => {
    await perform(`Advance ${other}`, { ...call, path });
    revision.value += 1;
  };
  return (
    <span class="advance-by">
      <label>
        <span class="hidden">Span to advance by</span>
        <select value={by} onChange={(event) => setBy(event.currentTarget.value)}>
          {Object.entries(SPANS).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Action
        label={other === undefined ? "Advance" : "Advance both"}
        kind="main"
        call={call}
        onDone={other === undefined ? undefined : advanceOther}
      />
    </span>
  );
}
