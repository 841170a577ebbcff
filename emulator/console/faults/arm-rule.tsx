import { useState } from "preact/hooks";
import { FAULT_PLANES, FAULT_POINT_NAMES, type FaultPlane } from "../../../contracts/spec/faults.ts";
import { control } from "../model/actions.ts";
import { route } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { ChoiceField, Field, TextField } from "../parts/field.tsx";

const PLANES = Object.keys(FAULT_PLANES) as readonly FaultPlane[];

const EXAMPLES: Readonly<Record<FaultPlane, string>> = {
  worker: '{ "crash": true }',
  s3: '{ "s3_error": "SlowDown" }',
  http: '{ "status": 503 }',
  webhook: '{ "drop": true }',
};

function planeNamed(text: string | null): FaultPlane {
  return PLANES.find((name) => name === text) ?? "worker";
}

/** Arms a rule of the fault language; its fields come from the table of planes. */
export function ArmRule() {
  const { query } = route.value;
  const [plane, setPlane] = useState(planeNamed(query.get("plane")));
  const [match, setMatch] = useState(query.get("match") ?? "{}");
  const [then, setThen] = useState(EXAMPLES[plane]);
  const [times, setTimes] = useState("1");
  const order = orderOf(plane, match, then, times);
  const choose = (next: string) => {
    const found = planeNamed(next);
    setPlane(found);
    setThen(EXAMPLES[found]);
  };
  return (
    <section class="card" aria-label="Arm a rule">
      <h2>Arm a rule</h2>
      <div class="form">
        <ChoiceField
          name="Plane"
          value={plane}
          set={choose}
          hint={FAULT_PLANES[plane].summary}
          options={PLANES.map((name) => [name, name] as const)}
        />
        <TextField name="Times" value={times} set={setTimes} />
        <Field
          name="Where (match, JSON)"
          hint={`${Object.keys(FAULT_PLANES[plane].match).join(", ")}${plane === "worker" ? `; at: ${FAULT_POINT_NAMES.join(", ")}` : ""}`}
        >
          <textarea
            rows={3}
            class="mono"
            value={match}
            onInput={(event) => setMatch(event.currentTarget.value)}
          />
        </Field>
        <Field name="What (then, JSON)" hint={Object.keys(FAULT_PLANES[plane].then).join(", ")}>
          <textarea
            rows={3}
            class="mono"
            value={then}
            onInput={(event) => setThen(event.currentTarget.value)}
          />
        </Field>
      </div>
      {order === null ? (
        <p class="problem">Where and what are JSON objects.</p>
      ) : (
        <p class="row">
          <Action label="Arm the rule" kind="main" call={control("POST", "/faults", order)} />
        </p>
      )}
    </section>
  );
}

function orderOf(plane: FaultPlane, match: string, then: string, times: string) {
  try {
    return {
      plane,
      match: JSON.parse(match) as object,
      then: JSON.parse(then) as object,
      times: Number(times),
    };
  } catch {
    return null;
  }
}
