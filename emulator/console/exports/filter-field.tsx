import { client } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { Field } from "../parts/field.tsx";

interface FilterCheck {
  readonly ok: boolean;
  readonly problem: { readonly position: number; readonly message: string; readonly hint?: string } | null;
}

interface FilterFieldProps {
  readonly value: string;
  readonly set: (value: string) => void;
}

/** A filter (§2.5), checked while it is typed with the parser that exports use. */
export function FilterField({ value, set }: FilterFieldProps) {
  return (
    <div class="wide">
      <Field name="Filter" hint={'for example and(eq(run_type, "llm"), gt(latency, 2))'}>
        <textarea
          rows={3}
          value={value}
          spellcheck={false}
          class="mono"
          onInput={(event) => set(event.currentTarget.value)}
        />
      </Field>
      {value !== "" && <CheckResult filter={value} />}
    </div>
  );
}

function CheckResult({ filter }: { readonly filter: string }) {
  const { value } = useResource(`filter ${filter}`, () =>
    client.call<FilterCheck>("POST", "/filters/check", { filter }),
  );
  if (!value) return <p class="muted">Checking …</p>;
  if (!value.problem)
    return (
      <p class="status good" role="status">
        <span aria-hidden="true">●</span> A filter that exports take.
      </p>
    );
  const { position, message, hint } = value.problem;
  return (
    <p class="problem" role="status">
      <span aria-hidden="true">✕</span> At character {position + 1}: {message} {hint}
      <code class="excerpt">
        {filter.slice(0, position)}
        <mark>{filter.slice(position, position + 1) || " "}</mark>
        {filter.slice(position + 1)}
      </code>
    </p>
  );
}
