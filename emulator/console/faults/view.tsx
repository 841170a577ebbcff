import { useState } from "preact/hooks";
import { printExact } from "../../../contracts/spec/exact-json.ts";
import {
  FAULT_POINT_NAMES,
  FAULT_PRESETS,
  FAULT_TARGETS,
  type FaultTarget,
} from "../../../contracts/spec/faults.ts";
import type { FaultView } from "../../subjects/faults/rules.ts";
import { control } from "../model/actions.ts";
import { useResource } from "../model/resource.ts";
import { addressOf, route } from "../model/router.ts";
import { readTurns, type Turn } from "../model/turns.ts";
import { Action } from "../parts/action.tsx";
import { ChoiceField, Field, TextField } from "../parts/field.tsx";
import { TableList } from "../parts/list.tsx";
import type { Column } from "../parts/table.tsx";
import { Term } from "../parts/term.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";

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
  { name: "Where", show: ({ match }) => <code>{printExact(match)}</code> },
  { name: "What", show: ({ then }) => <code>{printExact(then)}</code> },
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

const TARGETS = Object.keys(FAULT_TARGETS) as readonly FaultTarget[];

const EXAMPLES: Readonly<Record<FaultTarget, string>> = {
  worker: '{ "crash": true }',
  s3: '{ "s3_error": "SlowDown" }',
  http: '{ "status": 503 }',
  webhook: '{ "drop": true }',
};

function targetOf(text: string | null): FaultTarget {
  return TARGETS.find((name) => name === text) ?? "worker";
}

/** Arms a fault rule; its fields are those of the table of targets. */
function ArmRule() {
  const { query } = route.value;
  const [target, setTarget] = useState(targetOf(query.get("target")));
  const [match, setMatch] = useState(query.get("match") ?? "{}");
  const [then, setThen] = useState(EXAMPLES[target]);
  const [times, setTimes] = useState("1");
  const rule = ruleOf(target, match, then, times);
  const choose = (next: string) => {
    const nextTarget = targetOf(next);
    setTarget(nextTarget);
    setThen(EXAMPLES[nextTarget]);
  };
  return (
    <section class="card" aria-label="Arm a rule">
      <h2>
        Arm a rule for a <Term of="fault target">fault target</Term>
      </h2>
      <div class="form">
        <ChoiceField
          name="Target"
          value={target}
          set={choose}
          hint={FAULT_TARGETS[target].summary}
          options={TARGETS.map((name) => [name, name] as const)}
        />
        <TextField name="Times" value={times} set={setTimes} />
        <Field
          name="Where (match, JSON)"
          hint={`${Object.keys(FAULT_TARGETS[target].match).join(", ")}${target === "worker" ? `; at: ${FAULT_POINT_NAMES.join(", ")}` : ""}`}
        >
          <textarea
            rows={3}
            class="mono"
            value={match}
            onInput={(event) => setMatch(event.currentTarget.value)}
          />
        </Field>
        <Field name="What (then, JSON)" hint={Object.keys(FAULT_TARGETS[target].then).join(", ")}>
          <textarea
            rows={3}
            class="mono"
            value={then}
            onInput={(event) => setThen(event.currentTarget.value)}
          />
        </Field>
      </div>
      {rule === null ? (
        <p class="problem">match and then must be JSON objects.</p>
      ) : (
        <p class="row">
          <Action label="Arm the rule" kind="main" call={control("POST", "/faults", rule)} />
        </p>
      )}
    </section>
  );
}

function ruleOf(target: FaultTarget, match: string, then: string, times: string) {
  try {
    return {
      target,
      match: JSON.parse(match) as object,
      then: JSON.parse(then) as object,
      times: Number(times),
    };
  } catch {
    return null;
  }
}
