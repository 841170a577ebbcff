import { useEffect } from "preact/hooks";
import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { count } from "../model/count.ts";
import { addressOf, route } from "../model/router.ts";
import { Status, toneOf } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";

type Run = ExportDetail["runs"][number];
type File = Run["files"][number];

/** The runs of an export with their attempts and files. Runs without rows are collapsed. */
export function Runs({ detail: { runs, bucket_name } }: { readonly detail: ExportDetail }) {
  const selectedId = route.value.query.get("run");
  useEffect(() => showRun(selectedId), [selectedId]);
  const empty = runs.filter(isEmpty);
  const others = runs.filter((run) => !isEmpty(run));
  const first = others.find(({ rows }) => rows > 0);
  return (
    <section aria-label="Runs">
      <h2>Runs</h2>
      {runs.length === 0 && <p class="empty">No runs before the export starts.</p>}
      {others.map((run) => (
        <RunCard key={run.id} run={run} bucket={bucket_name} isOpen={run === first || run.attempt > 0} />
      ))}
      {empty.length > 0 && (
        <details class="card run">
          <summary>
            {count(empty.length, "run")} without rows{" "}
            <span class="muted">
              no trace of the project started on these days, or none matched the filter
            </span>
          </summary>
          {empty.map((run) => (
            <RunCard key={run.id} run={run} bucket={bucket_name} isOpen={false} />
          ))}
        </details>
      )}
    </section>
  );
}

/** Expands a run and its parents, and scrolls to it. */
export function showRun(id: string | null): void {
  const box = document.getElementById(`run-${id}`);
  for (let each = box?.closest("details"); each; each = each.parentElement?.closest("details"))
    each.open = true;
  box?.scrollIntoView({ block: "nearest" });
  box?.querySelector("summary")?.focus({ preventScroll: true });
}

/** Whether a run succeeded at the first attempt without rows. */
function isEmpty({ rows, attempt, status }: Run): boolean {
  return rows === 0 && attempt === 0 && toneOf(status) === "good";
}

interface RunCardProps {
  readonly run: Run;
  readonly bucket: string;
  readonly isOpen: boolean;
}

function RunCard({ run, bucket, isOpen }: RunCardProps) {
  return (
    <details class="card run" id={`run-${run.id}`} open={isOpen}>
      <summary>
        <Status status={run.status} /> <strong class="mono">{run.start_time.slice(0, 10)}</strong>
        <span class="muted">
          {count(run.rows, "row")}, {count(run.files.length, "file")}
          {run.attempt > 0 && `, ${count(run.attempt, "failed attempt")}`}
        </span>
      </summary>
      <RunBody run={run} bucket={bucket} />
    </details>
  );
}

const fileColumns = (bucket: string): readonly Column<File>[] => [
  {
    name: "File",
    show: ({ key }) => (
      <a class="mono key" href={addressOf("file", bucket, { key })}>
        {key}
      </a>
    ),
  },
  { name: "Cause", show: ({ key }) => <WhyLink id={`${bucket}/${key}`} /> },
  { name: "Rows", number: true, show: ({ rows }) => rows.toLocaleString("en") },
  { name: "Bytes", number: true, show: ({ bytes }) => bytes.toLocaleString("en") },
];

function RunBody({ run, bucket }: { readonly run: Run; readonly bucket: string }) {
  const errors = Object.entries(run.errors);
  return (
    <>
      <p class="muted">
        <span class="mono">{run.id}</span> <WhyLink id={run.id} /> · created <Time at={run.created_at} />
        {run.finished_at !== null && (
          <>
            {" "}
            · finished <Time at={run.finished_at} />
          </>
        )}
        {run.deadline !== null && run.finished_at === null && (
          <>
            {" "}
            · times out at <Time at={run.deadline} />
          </>
        )}
      </p>
      {run.due.map(({ at, kind }) => (
        <p key={kind}>
          <span aria-hidden="true">◷</span> <code>{kind}</code> is due at <Time at={at} />
        </p>
      ))}
      {errors.length > 0 && (
        <ol class="attempts">
          {errors.map(([name, text]) => (
            <li key={name}>
              <code>{name}</code> {text}
            </li>
          ))}
        </ol>
      )}
      {run.files.length > 0 && (
        <Table label="Files" columns={fileColumns(bucket)} rows={run.files} keyOf={({ key }) => key} />
      )}
      {run.latest_cursor !== null && (
        <p class="muted">
          Cursor <code>{run.latest_cursor}</code>
        </p>
      )}
    </>
  );
}
