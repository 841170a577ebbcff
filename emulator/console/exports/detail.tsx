import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { type Call, control } from "../model/actions.ts";
import { apiHeaders } from "../model/api-key.ts";
import { client } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status, toneOf } from "../parts/status.tsx";
import { Time, Window } from "../parts/time.tsx";
import { Calendar } from "./calendar.tsx";
import { Runs } from "./runs.tsx";
import { Verify } from "./verify.tsx";
import { whyNotDone } from "./why-not-done.ts";

/** One export: its window, what it waits for, its partitions, runs, attempts and files. */
export function ExportPage({ id }: { readonly id: string }) {
  const found = useResource(`export ${id}`, () =>
    client.call<ExportDetail>("GET", `/exports/${encodeURIComponent(id)}`),
  );
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("exports")}>Exports</a> / <span class="mono">{id}</span>
      </nav>
      <Loaded of={found}>{(value) => <Shown of={value} />}</Loaded>
    </>
  );
}

function Shown({ of: shown }: { readonly of: ExportDetail }) {
  const why = whyNotDone(shown);
  const until = { until: { export: shown.id, status: "COMPLETED" } };
  return (
    <>
      <header class="row">
        <h1>
          <Status of={shown.status} />
        </h1>
        <span class="spacer" />
        {why !== null && shown.interval_hours === null && (
          <Action label="Advance to COMPLETED" kind="main" call={control("POST", "/clock/advance", until)} />
        )}
        {why !== null && <Action label="Cancel the export" kind="danger" call={cancelOf(shown)} />}
        <a class="button" href={addressOf("why", shown.id)}>
          Why is a row missing?
        </a>
      </header>
      {why !== null && <p class={`why ${toneOf(shown.status)}`}>{why}</p>}
      <Facts>
        <Fact name="Project">{shown.project ?? shown.session_id}</Fact>
        <Fact name="Destination">
          {shown.destination ?? "gone"} <span class="muted">({shown.bucket_name})</span>
        </Fact>
        <Fact name="Window">
          <Window from={shown.start_time} to={shown.end_time} />
        </Fact>
        {shown.interval_hours !== null && <Fact name="Every">{shown.interval_hours} h</Fact>}
        <Fact name="Filter">
          <code>{shown.filter ?? "none"}</code>
        </Fact>
        <Fact name="Format">
          {shown.format_version}, {shown.compression}
        </Fact>
        <Fact name="Columns">{shown.export_fields?.join(", ") ?? "all"}</Fact>
        <Fact name="Created">
          <Time at={shown.created_at} />
        </Fact>
        <Fact name="Finished">
          <Time at={shown.finished_at} />
        </Fact>
      </Facts>
      {shown.interval_hours === null ? (
        <>
          <Calendar runs={shown.runs} />
          <Verify id={shown.id} />
          <Runs of={shown} />
        </>
      ) : (
        <Spawned ids={shown.spawned} />
      )}
    </>
  );
}

const NEWEST = 100;

/** The exports that a schedule has made, the newest first. */
function Spawned({ ids }: { readonly ids: readonly string[] }) {
  return (
    <section aria-label="Exports of the schedule">
      <h2>
        Exports of the schedule <span class="muted">{ids.length.toLocaleString("en")}</span>
      </h2>
      {ids.length === 0 && <Empty>No exports yet.</Empty>}
      <p class="row">
        {ids
          .slice(-NEWEST)
          .reverse()
          .map((id) => (
            <a key={id} class="mono" href={addressOf("exports", id)}>
              {id.slice(0, 8)}
            </a>
          ))}
      </p>
    </section>
  );
}

function cancelOf({ id, tenant_id }: ExportDetail): Call {
  const path = `/api/v1/bulk-exports/${id}`;
  return { method: "PATCH", path, headers: apiHeaders(tenant_id), body: { status: "Cancelled" } };
}
