import type { RunOverview, ThreadOverview } from "../../subjects/agent/overview.ts";
import { useReply } from "../model/resource.ts";
import { addressOf, route } from "../model/router.ts";
import { TableList } from "../parts/list.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { RunPage } from "./run.tsx";

/** Threads, the runs of each, and one run with its stream. */
export function RunsView() {
  const { id, query } = route.value;
  if (id !== null) return <RunPage id={id} />;
  const thread = query.get("thread");
  return (
    <>
      <h1>{thread === null ? "Threads and runs" : "Runs of a thread"}</h1>
      {thread !== null && (
        <p>
          <a href={addressOf("runs")}>All threads</a> / <span class="mono">{thread}</span>
        </p>
      )}
      {thread === null && <Threads />}
      <h2>Runs</h2>
      <Runs thread={thread} />
      {thread === null && <Crons />}
    </>
  );
}

const THREAD_COLUMNS: readonly Column<ThreadOverview>[] = [
  { name: "Status", show: ({ status }) => <Status status={status} /> },
  {
    name: "Thread",
    show: ({ thread_id }) => (
      <a class="mono" href={addressOf("runs", null, { thread: thread_id })}>
        {thread_id}
      </a>
    ),
  },
  { name: "Runs", number: true, show: ({ runs }) => runs },
  { name: "Created", show: ({ created_at }) => <Time at={created_at} /> },
  { name: "Updated", show: ({ updated_at }) => <Time at={updated_at} /> },
  { name: "Expires", show: ({ ttl }) => ttl && <Time at={ttl.expires_at} /> },
  { name: "Cause", show: ({ thread_id }) => <WhyLink id={thread_id} /> },
];

function Threads() {
  return (
    <TableList<ThreadOverview>
      label="Threads"
      path="/agent/threads"
      filters={{}}
      empty="No thread yet. POST /threads makes one."
      columns={THREAD_COLUMNS}
      keyOf={({ tenant_id, thread_id }) => `${tenant_id}/${thread_id}`}
    />
  );
}

const RUN_COLUMNS: readonly Column<RunOverview>[] = [
  { name: "Status", show: ({ status }) => <Status status={status} /> },
  {
    name: "Run",
    show: ({ run_id }) => (
      <a class="mono" href={addressOf("runs", run_id)}>
        {run_id}
      </a>
    ),
  },
  { name: "Graph", show: ({ graph_id }) => graph_id },
  { name: "Strategy", show: ({ multitask_strategy }) => multitask_strategy },
  { name: "Webhook", show: ({ has_webhook }) => (has_webhook ? "yes" : "") },
  { name: "Created", show: ({ created_at }) => <Time at={created_at} /> },
  { name: "Updated", show: ({ updated_at }) => <Time at={updated_at} /> },
  { name: "Cause", show: ({ run_id }) => <WhyLink id={run_id} /> },
];

function Runs({ thread }: { readonly thread: string | null }) {
  return (
    <TableList<RunOverview>
      label="Runs"
      path="/agent/runs"
      fixed={thread === null ? {} : { thread }}
      filters={{ status: "Status", kind: "Graph" }}
      empty="No run yet. POST /threads/<thread>/runs makes one."
      columns={RUN_COLUMNS}
      keyOf={({ run_id }) => run_id}
    />
  );
}

interface Cron {
  readonly cron_id: string;
  readonly schedule: string;
  readonly timezone: string | null;
  readonly enabled: boolean;
  readonly thread_id: string | null;
  readonly next_run_date: string | null;
  readonly end_time: string | null;
}

const CRON_COLUMNS: readonly Column<Cron>[] = [
  { name: "Schedule", show: ({ schedule }) => <code>{schedule}</code> },
  { name: "Zone", show: ({ timezone }) => timezone ?? "UTC" },
  { name: "On", show: ({ enabled }) => (enabled ? "● yes" : "⊘ no") },
  { name: "Next run", show: ({ next_run_date }) => <Time at={next_run_date} /> },
  { name: "Ends", show: ({ end_time }) => <Time at={end_time} /> },
  { name: "Thread", show: ({ thread_id }) => <span class="mono">{thread_id ?? "a new one each"}</span> },
  { name: "Cause", show: ({ cron_id }) => <WhyLink id={cron_id} /> },
];

/** The crons of all workspaces; empty if there are none. */
function Crons() {
  const crons = useReply<readonly Cron[]>("/agent/crons");
  return (
    <Loaded resource={crons}>
      {(list) =>
        list.length > 0 && (
          <>
            <h2>Crons</h2>
            <Table label="Crons" columns={CRON_COLUMNS} rows={list} keyOf={({ cron_id }) => cron_id} />
          </>
        )
      }
    </Loaded>
  );
}
