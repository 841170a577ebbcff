import { FAULT_PRESETS } from "../../../contracts/spec/faults.ts";
import type { FaultView } from "../../subjects/faults/rules.ts";
import { control } from "../model/actions.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { readTurns, type Turn } from "../model/turns.ts";
import { Action } from "../parts/action.tsx";
import { TableList } from "../parts/list.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { ArmRule } from "./arm-rule.tsx";

/** Armed and triggered faults, the turns that triggered them, and the presets. */
export function FaultsView() {
  const hits = useResource("hits", () => readTurns({ kind: "fault", limit: MAX_HITS }));
  return (
    <>
      <header class="row">
        <h1>Faults</h1>
        <span class="spacer" />
        <Action label="Remove all faults" kind="danger" call={control("DELETE", "/faults")} />
      </header>
      <TableList<FaultView>
        label="Faults"
        path="/faults"
        filters={{ status: "State", kind: "Target" }}
        empty="No fault is armed. Faults count matches and never use chance."
        look={({ preset, target, state, hits }) => ({ preset, target, state, hits })}
        columns={columnsOf(hits.value?.items ?? [])}
        keyOf={({ id }) => id}
      />
      <Presets />
      <ArmRule />
    </>
  );
}

/** Turns in which faults triggered that are read. */
const MAX_HITS = 200;

const columnsOf = (turns: readonly Turn[]): readonly Column<FaultView>[] => [
  {
    name: "State",
    show: ({ state }) => (
      <span class={`status ${state === "armed" ? "busy" : "off"}`}>
        <span aria-hidden="true">{state === "armed" ? "◉" : "○"}</span> {state}
      </span>
    ),
  },
  { name: "Fault", show: ({ preset, target }) => preset ?? target },
  { name: "Where", show: ({ match }) => <code>{JSON.stringify(match)}</code> },
  { name: "What", show: ({ then }) => <code>{JSON.stringify(then)}</code> },
  { name: "Hits", number: true, show: ({ hits, times }) => `${hits} / ${times}` },
  { name: "At turns", show: ({ id }) => <Hits id={id} turns={turns} /> },
  { name: "Armed", show: ({ armed_at }) => <Time at={armed_at} /> },
  { name: "Cause", show: ({ id }) => <WhyLink id={id} /> },
  {
    name: "Actions",
    show: ({ id }) => (
      <Action label={`Remove the fault ${id}`} kind="danger" call={control("DELETE", `/faults/${id}`)}>
        Remove
      </Action>
    ),
  },
];

function Hits({ id, turns }: { readonly id: string; readonly turns: readonly Turn[] }) {
  const hits = turns.filter(({ notes = [] }) =>
    notes.some(({ kind, ref }) => kind === "fault.triggered" && ref === id),
  );
  return (
    <span class="row">
      {hits.slice(-8).map(({ turn }) => (
        <a key={turn} href={addressOf("time", null, { turn })}>
          {turn}
        </a>
      ))}
    </span>
  );
}

function Presets() {
  return (
    <section class="card" aria-label="Presets">
      <h2>Presets</h2>
      <ul class="presets">
        {Object.entries(FAULT_PRESETS).map(([preset, { summary }]) => (
          <li key={preset}>
            <Action label={`Arm ${preset}`} call={control("POST", "/faults", { preset })}>
              {preset}
            </Action>
            <span class="muted">{summary}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
