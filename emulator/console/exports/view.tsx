import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import { addressOf, route } from "../model/router.ts";
import { TableList } from "../parts/list.tsx";
import { Status } from "../parts/status.tsx";
import type { Column } from "../parts/table.tsx";
import { Time, Window } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { CreateExport } from "./create.tsx";
import { ExportPage } from "./detail.tsx";

export function ExportsView() {
  const { id } = route.value;
  if (id === "new") return <CreateExport />;
  return id === null ? <ExportList /> : <ExportPage id={id} />;
}

/** The exports of all workspaces, the newest first. */
function ExportList() {
  return (
    <>
      <header class="row">
        <h1>Exports</h1>
        <span class="spacer" />
        <a class="button main" href={addressOf("exports", "new")}>
          New export
        </a>
      </header>
      <TableList<ExportOverview>
        label="Exports"
        path="/exports"
        filters={{ status: "Status", project: "Project", kind: "Kind" }}
        empty="No exports yet. To create one, use New export or POST /api/v1/bulk-exports."
        columns={COLUMNS}
        keyOf={({ id }) => id}
      />
    </>
  );
}

const COLUMNS: readonly Column<ExportOverview>[] = [
  { name: "Status", show: ({ status }) => <Status status={status} /> },
  {
    name: "Export",
    show: ({ id }) => (
      <a href={addressOf("exports", id)} class="mono">
        {id.slice(0, 8)}
      </a>
    ),
  },
  {
    name: "Project",
    show: ({ project, session_id }) => <span>{project ?? session_id}</span>,
  },
  {
    name: "Window",
    show: ({ start_time, end_time, interval_hours }) => (
      <>
        <Window from={start_time} to={end_time} />
        {interval_hours !== null && ` every ${interval_hours} h`}
      </>
    ),
  },
  { name: "Runs", number: true, show: ({ runs }) => `${runs.filter(isDone).length} / ${runs.length}` },
  { name: "Rows", number: true, show: ({ runs }) => sum(runs.map(({ rows }) => rows)) },
  { name: "Files", number: true, show: ({ runs }) => sum(runs.map(({ files }) => files)) },
  { name: "Created", show: ({ created_at }) => <Time at={created_at} /> },
  { name: "Finished", show: ({ finished_at }) => <Time at={finished_at} /> },
  { name: "Cause", show: ({ id }) => <WhyLink id={id} /> },
];

function isDone({ finished_at }: ExportOverview["runs"][number]): boolean {
  return finished_at !== null;
}

function sum(numbers: readonly number[]): string {
  return numbers.reduce((total, each) => total + each, 0).toLocaleString("en");
}
