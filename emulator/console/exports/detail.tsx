import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { type Call, control } from "../model/actions.ts";
import { apiHeaders } from "../model/api-key.ts";
import { count } from "../model/count.ts";
import { useReply } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Status, toneOf } from "../parts/status.tsx";
import { shortTime, Time, Window } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { Calendar } from "./calendar.tsx";
import { Runs } from "./runs.tsx";
import { Verify } from "./verify.tsx";

/** One export: its window, next step, partitions, runs, attempts and files. */
export function ExportPage({ id }: { readonly id: string }) {
  const path = `/exports/${encodeURIComponent(id)}`;
  const resource = useReply<ExportDetail>(path);
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("exports")}>Exports</a> / <span class="mono">{id}</span> <WhyLink id={id} />
      </nav>
      <Loaded resource={resource} heading="Export">
        {(value) => <Details detail={value} />}
      </Loaded>
    </>
  );
}

function Details({ detail }: { readonly detail: ExportDetail }) {
  const why = whyNotDone(detail);
  const until = { until: { export: detail.id, status: "COMPLETED" } };
  return (
    <>
      <header class="row">
        <h1>
          <Status status={detail.status} />
        </h1>
        <span class="spacer" />
        {why !== null && detail.interval_hours === null && (
          <Action label="Advance to COMPLETED" kind="main" call={control("POST", "/clock/advance", until)} />
        )}
        {why !== null && <Action label="Cancel the export" kind="danger" call={cancelOf(detail)} />}
        <a class="button" href={addressOf("why", detail.id)}>
          Why is a row missing?
        </a>
      </header>
      {why !== null && <p class={`why ${toneOf(detail.status)}`}>{why}</p>}
      <Facts>
        <Fact name="Project">{detail.project ?? detail.session_id}</Fact>
        <Fact name="Destination">
          {detail.destination ?? "gone"} <span class="muted">({detail.bucket_name})</span>
        </Fact>
        <Fact name="Window">
          <Window from={detail.start_time} to={detail.end_time} />
        </Fact>
        {detail.interval_hours !== null && <Fact name="Every">{detail.interval_hours} h</Fact>}
        <Fact name="Filter">
          <code>{detail.filter ?? "none"}</code>
        </Fact>
        <Fact name="Format">
          {detail.format_version}, {detail.compression}
        </Fact>
        <Fact name="Columns">{detail.export_fields?.join(", ") ?? "all"}</Fact>
        <Fact name="Created">
          <Time at={detail.created_at} />
        </Fact>
        <Fact name="Finished">
          <Time at={detail.finished_at} />
        </Fact>
      </Facts>
      {detail.interval_hours === null ? (
        <>
          <Calendar runs={detail.runs} />
          <Verify id={detail.id} />
          <FilesLeft detail={detail} />
          <Runs detail={detail} />
        </>
      ) : (
        <SpawnedExports ids={detail.spawned} />
      )}
    </>
  );
}

/** What a consumer of the bucket may find of an export that has not completed. */
function FilesLeft({ detail: { files_left, bucket_name } }: { readonly detail: ExportDetail }) {
  if (files_left.length === 0) return null;
  return (
    <section aria-label="Files left in the bucket">
      <h2>
        Files left in the bucket <span class="muted">{files_left.length.toLocaleString("en")}</span>
      </h2>
      <ul>
        {files_left.map(({ key, bytes }) => (
          <li key={key}>
            <a class="mono key" href={addressOf("file", bucket_name, { key })}>
              {key}
            </a>{" "}
            <WhyLink id={`${bucket_name}/${key}`} /> <span class="muted">{count(bytes, "byte")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const MAX_LISTED_EXPORTS = 100;

/** The exports of a schedule, newest first. */
function SpawnedExports({ ids }: { readonly ids: readonly string[] }) {
  return (
    <section aria-label="Exports of the schedule">
      <h2>
        Exports of the schedule <span class="muted">{ids.length.toLocaleString("en")}</span>
      </h2>
      {ids.length === 0 && <Empty>No exports yet.</Empty>}
      <p class="row">
        {ids
          .slice(-MAX_LISTED_EXPORTS)
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

type Run = ExportDetail["runs"][number];

/** The reason why an export is still CREATED or RUNNING; null if it has ended. */
function whyNotDone(detail: ExportDetail): string | null {
  if (detail.finished_at !== null) return null;
  const [next] = detail.due;
  if (detail.interval_hours !== null)
    return next
      ? `A schedule of every ${detail.interval_hours} h: the next export is created at ${shortTime(next.at)}.`
      : "A schedule that creates no more exports.";
  if (detail.queue_position !== null)
    return `It waits for a slot of the workspace (§8.2). ${count(detail.queue_position, "export")} before it.`;
  if (next) return `It starts at ${shortTime(next.at)}, when the clock reaches this time.`;
  return whyOfRuns(detail.runs);
}

function whyOfRuns(runs: readonly Run[]): string {
  const openRuns = runs.filter(({ finished_at }) => finished_at === null);
  const writingRuns = openRuns.filter(({ in_flight }) => in_flight.length > 0);
  if (writingRuns.length > 0) return `${ofRuns(writingRuns.length, "is", "are")} writing a file right now.`;
  const retriedRuns = openRuns.filter(({ attempt, due }) => attempt > 0 && due.length > 0);
  const times = openRuns.flatMap(({ due }) => due.map(({ at }) => at)).sort();
  const waitingCount = openRuns.filter(({ queue_position }) => queue_position !== null).length;
  const parts = [
    `${ofRuns(openRuns.length, "has", "have")} not ended.`,
    retriedRuns.length > 0 &&
      `${retriedRuns.length} ${retriedRuns.length === 1 ? "is" : "are"} retried after a failure.`,
    waitingCount > 0 &&
      `${waitingCount} ${waitingCount === 1 ? "waits" : "wait"} for a slot of the export (§8.2).`,
    times[0] ? `The next step is due at ${shortTime(times[0])}.` : "No step is due: a deadline ends them.",
  ];
  return parts.filter((part) => part !== false).join(" ");
}

function ofRuns(count: number, singular: string, plural: string): string {
  return `${count} of its runs ${count === 1 ? singular : plural}`;
}
