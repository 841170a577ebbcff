import { useReply } from "../model/looks.ts";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";

interface Cron {
  readonly cron_id: string;
  readonly schedule: string;
  readonly timezone: string | null;
  readonly enabled: boolean;
  readonly thread_id: string | null;
  readonly next_run_date: string | null;
  readonly end_time: string | null;
}

const COLUMNS: readonly Column<Cron>[] = [
  { name: "Schedule", show: ({ schedule }) => <code>{schedule}</code> },
  { name: "Zone", show: ({ timezone }) => timezone ?? "UTC" },
  { name: "On", show: ({ enabled }) => (enabled ? "● yes" : "⊘ no") },
  { name: "Next run", show: ({ next_run_date }) => <Time at={next_run_date} /> },
  { name: "Ends", show: ({ end_time }) => <Time at={end_time} /> },
  { name: "Thread", show: ({ thread_id }) => <span class="mono">{thread_id ?? "a new one each"}</span> },
  { name: "Cause", show: ({ cron_id }) => <WhyLink id={cron_id} /> },
];

/** The crons of all workspaces; empty if there are none. */
export function Crons() {
  const crons = useReply<readonly Cron[]>("The crons", "/agent/crons", (list) =>
    list.map(({ schedule, enabled, next_run_date }) => ({ schedule, enabled, next_run_date })),
  );
  return (
    <Loaded resource={crons}>
      {(list) =>
        list.length > 0 && (
          <>
            <h2>Crons</h2>
            <Table label="Crons" columns={COLUMNS} rows={list} keyOf={({ cron_id }) => cron_id} />
          </>
        )
      }
    </Loaded>
  );
}
