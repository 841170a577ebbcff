import { useState } from "preact/hooks";
import type { explainView } from "../../subjects/rate-limits/view.ts";
import { client } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { ChoiceField, TextField } from "../parts/field.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";

type Explained = ReturnType<typeof explainView>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, method] as const);

const COLUMNS: readonly Column<Explained["matching"][number]>[] = [
  { name: "Row", show: ({ row, decides }) => <code>{decides ? `▶ ${row}` : row}</code> },
  { name: "Requests", show: ({ match }) => match.join("; ") },
  { name: "Counted by", show: ({ counted_by }) => counted_by },
  { name: "Used", number: true, show: ({ used, count }) => `${used} / ${count}` },
  { name: "Next passes", show: ({ next_passes_at }) => <Time at={next_passes_at} /> },
];

/** Which rows a request falls under, and which one decides. */
export function Explain() {
  const [method, setMethod] = useState("POST");
  const [path, setPath] = useState("/runs/query");
  const [key, setKey] = useState("emulator-key");
  const asked = new URLSearchParams({ method, path, "x-api-key": key });
  return (
    <section aria-label="Explain">
      <h2>Which row decides</h2>
      <div class="card form">
        <ChoiceField name="Method" value={method} set={setMethod} options={METHODS} />
        <TextField name="Path" value={path} set={setPath} />
        <TextField name="x-api-key" value={key} set={setKey} />
      </div>
      {path.startsWith("/") && <Answer asked={String(asked)} />}
    </section>
  );
}

function Answer({ asked }: { readonly asked: string }) {
  const found = useResource(`explain ${asked}`, () =>
    client.call<Explained>("GET", `/rate-limits/explain?${asked}`),
  );
  return (
    <Loaded of={found}>
      {({ passes, matching, deciding }) => (
        <>
          <p class={`status ${passes ? "good" : "bad"}`}>
            <span aria-hidden="true">{passes ? "●" : "✕"}</span>{" "}
            {passes ? "It passes" : "It would be refused with 429"}
            {deciding && `: ${deciding.row} decides`}
          </p>
          <Table label="Rows of the request" columns={COLUMNS} rows={matching} keyOf={({ row }) => row} />
        </>
      )}
    </Loaded>
  );
}
