import type { ExportDetail } from "../../subjects/bulk-exports/overview.ts";
import { count } from "../model/count.ts";
import { addressOf } from "../model/router.ts";
import { Status } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";

type Run = ExportDetail["runs"][number];
type File = Run["files"][number];

/** The runs of an export with their attempts and files. */
export function Runs({ of }: { readonly of: ExportDetail }) {
  return (
    <section aria-label="Runs">
      <h2>Runs</h2>
      {of.runs.length === 0 && <p class="empty">None before the export begins.</p>}
      {of.runs.map((run) => (
        <details key={run.id} class="card run" open={of.runs.length === 1 || run.attempt > 0}>
          <summary>
            <Status of={run.status} /> <strong class="mono">{run.start_time.slice(0, 10)}</strong>
            <span class="muted">
              {count(run.rows, "row")}, {count(run.files.length, "file")}
              {run.attempt > 0 && `, ${count(run.attempt, "failed attempt")}`}
            </span>
          </summary>
          <RunBody run={run} bucket={of.bucket_name} />
        </details>
      ))}
    </section>
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
  { name: "Rows", number: true, show: ({ rows }) => rows.toLocaleString("en") },
  { name: "Bytes", number: true, show: ({ bytes }) => bytes.toLocaleString("en") },
];

function RunBody({ run, bucket }: { readonly run: Run; readonly bucket: string }) {
  const errors = Object.entries(run.errors);
  return (
    <>
      <p class="muted">
        <span class="mono">{run.id}</span> · created <Time at={run.created_at} />
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
