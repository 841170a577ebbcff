import { useState } from "preact/hooks";
import type { explainView } from "../../subjects/rate-limits/view.ts";
import { control } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { useReply, useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { readTurns } from "../model/turns.ts";
import { Action } from "../parts/action.tsx";
import { ChoiceField, TextField } from "../parts/field.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { type Limits, Meters } from "./meters.tsx";

/** The meters in use, the last refusal, and the row that decides on a request. */
export function LimitsView() {
  const resource = useReply<Limits>("/rate-limits");
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

type Explanation = ReturnType<typeof explainView>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, method] as const);

const COLUMNS: readonly Column<Explanation["matching"][number]>[] = [
  { name: "Row", show: ({ row, decides }) => <code>{decides ? `▶ ${row}` : row}</code> },
  { name: "Requests", show: ({ match }) => match.join("; ") },
  { name: "Counted by", show: ({ counted_by }) => counted_by },
  { name: "Used", number: true, show: ({ used, count }) => `${used} / ${count}` },
  { name: "Next passes", show: ({ next_passes_at }) => <Time at={next_passes_at} /> },
];

/** The rows that count a request, and the row that decides. */
function Explain() {
  const [method, setMethod] = useState("POST");
  const [path, setPath] = useState("/runs/query");
  const [key, setKey] = useState("emulator-key");
  const query = new URLSearchParams({ method, path, "x-api-key": key });
  return (
    <section aria-label="Explain">
      <h2>Which row decides</h2>
      <div class="card form">
        <ChoiceField name="Method" value={method} set={setMethod} options={METHODS} />
        <TextField name="Path" value={path} set={setPath} />
        <TextField name="x-api-key" value={key} set={setKey} />
      </div>
      {path.startsWith("/") && <Answer query={String(query)} />}
    </section>
  );
}

function Answer({ query }: { readonly query: string }) {
  const resource = useResource(`explain ${query}`, () =>
    client.call<Explanation>("GET", `/rate-limits/explain?${query}`),
  );
  return (
    <Loaded resource={resource}>
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
