import { useState } from "preact/hooks";
import { FAULT_POINT_NAMES, FAULT_TARGETS, type FaultTarget } from "../../../contracts/spec/faults.ts";
import { control } from "../model/actions.ts";
import { route } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { ChoiceField, Field, TextField } from "../parts/field.tsx";
import { Term } from "../parts/term.tsx";

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
export function ArmRule() {
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
