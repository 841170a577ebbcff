import type { limiterView } from "../../subjects/rate-limits/view.ts";
import { control } from "../model/actions.ts";
import { count } from "../model/count.ts";
import { Action } from "../parts/action.tsx";
import { Empty } from "../parts/empty.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";

/** The rows of §8.5 with their counters. */
export type Limits = ReturnType<typeof limiterView>;

type Row = Limits["rows"][number];

interface RegionView {
  readonly count: number;
  readonly seconds: number;
  readonly enforced: boolean;
  readonly tripped_until?: string;
  readonly in_use: readonly {
    readonly identity: string;
    readonly used: number;
    readonly remaining: number;
    readonly next_passes_at: string;
  }[];
}

/** A row in one region, by one identity where something is counted. */
interface Meter {
  readonly row: Row;
  readonly region: string;
  readonly view: RegionView;
  readonly identity: string | null;
  readonly used: number;
  readonly next: string | null;
}

export function Meters({ limits }: { readonly limits: Limits }) {
  const meters = limits.rows.flatMap(metersOf);
  const touched = meters.filter(
    ({ identity, view }) => identity !== null || view.tripped_until !== undefined,
  );
  return (
    <>
      <p class="muted">
        {limits.enabled
          ? "Limits are on."
          : "Limits are off: rows count only once they are changed or tripped."}{" "}
        {limits.rows.length} rows (§8.5), {count(touched.length, "meter")} in use.
      </p>
      {touched.length === 0 ? (
        <Empty>Nothing is counted at present.</Empty>
      ) : (
        <Table label="Meters" columns={COLUMNS} rows={touched} keyOf={keyOf} />
      )}
      <details class="card run">
        <summary>
          <strong>All rows</strong>
        </summary>
        <Table label="All rows" columns={ROW_COLUMNS} rows={limits.rows} keyOf={({ row }) => row} />
      </details>
    </>
  );
}

function keyOf({ row, region, identity }: Meter): string {
  return `${row.row} ${region} ${identity}`;
}

function metersOf(row: Row): readonly Meter[] {
  const { row: _, match: __, identity: ___, category: ____, ...regions } = row;
  return Object.entries(regions as Readonly<Record<string, RegionView>>).flatMap(
    ([region, view]): Meter[] => {
      const common = { row, region, view };
      if (view.in_use.length === 0) return [{ ...common, identity: null, used: 0, next: null }];
      return view.in_use.map(({ identity, used, next_passes_at }) => ({
        ...common,
        identity,
        used,
        next: next_passes_at,
      }));
    },
  );
}

const COLUMNS: readonly Column<Meter>[] = [
  { name: "Row", show: ({ row }) => <code>{row.row}</code> },
  { name: "Region", show: ({ region }) => region },
  { name: "Counted by", show: ({ identity }) => <span class="mono">{identity ?? "–"}</span> },
  {
    name: "Used",
    show: ({ row, used, view }) => (
      <span class="row">
        <span
          class="meter"
          role="meter"
          aria-valuemin={0}
          aria-valuemax={view.count}
          aria-valuenow={used}
          aria-label={`${row.row}: ${used} of ${view.count} used`}
        >
          <span style={{ width: `${Math.min(100, (100 * used) / view.count)}%` }} />
        </span>
        {used} / {view.count} in {view.seconds} s
      </span>
    ),
  },
  {
    name: "State",
    show: ({ view }) =>
      view.tripped_until === undefined ? (
        ""
      ) : (
        <span class="status bad">
          ✕ tripped until <Time at={view.tripped_until} />
        </span>
      ),
  },
  { name: "Next passes", show: ({ next }) => <Time at={next} /> },
  { name: "Actions", show: ({ row }) => <Trip row={row.row} /> },
];

const ROW_COLUMNS: readonly Column<Row>[] = [
  { name: "Row", show: ({ row }) => <code>{row}</code> },
  { name: "Requests", show: ({ match }) => match.join("; ") },
  { name: "Counted by", show: ({ identity }) => identity },
  { name: "Category", show: ({ category }) => category },
  { name: "Actions", show: ({ row }) => <Trip row={row} /> },
];

function Trip({ row }: { readonly row: string }) {
  return (
    <Action label={`Trip ${row}`} call={control("PUT", `/rate-limits/${row}`, { remaining: 0 })}>
      Trip
    </Action>
  );
}
