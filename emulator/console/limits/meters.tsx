import type { limiterView } from "../../subjects/rate-limits/view.ts";
import { type Call, control } from "../model/actions.ts";
import { count } from "../model/count.ts";
import { Action } from "../parts/action.tsx";
import { Empty } from "../parts/states.tsx";
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
  readonly tripped_remaining?: number;
  readonly in_use: readonly {
    readonly identity: string;
    readonly used: number;
    readonly remaining: number;
    readonly next_passes_at: string;
  }[];
}

/** A row in one region, for one identity if it has a counter. */
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
  const activeMeters = meters.filter(
    ({ identity, view: { tripped_until, enforced } }) =>
      identity !== null || tripped_until !== undefined || (enforced && !limits.enabled),
  );
  return (
    <>
      <p class="muted">
        {limits.enabled
          ? "Limits are on."
          : "Limits are off: rows count only once they are changed or tripped."}{" "}
        {limits.rows.length} rows (§8.5), {count(activeMeters.length, "meter")} in use.
      </p>
      {activeMeters.length === 0 ? (
        <Empty>No requests are counted at present.</Empty>
      ) : (
        <Table label="Meters" columns={COLUMNS} rows={activeMeters} keyOf={keyOf} />
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
      const { tripped_remaining: remaining = view.count } = view;
      if (view.in_use.length === 0)
        return [{ ...common, identity: null, used: view.count - remaining, next: null }];
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
  { name: "State", show: (meter) => <State meter={meter} /> },
  {
    name: "Used",
    show: ({ row, used, view }) => (
      <span class="row">
        <span
          class={`meter ${fullness(used, view.count)}`}
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
  { name: "Region", show: ({ region }) => region },
  { name: "Counted by", show: ({ identity }) => <span class="mono">{identity ?? "all callers"}</span> },
  {
    name: "Actions",
    show: ({ row, region }) => (
      <span class="row buttons">
        <Action label={`Trip ${row.row} in ${region}`} call={tripOf(row, region)}>
          Trip
        </Action>
        <Action
          label={`Release ${row.row} in ${region}`}
          call={control("POST", "/rate-limits/reset", { row: row.row, region })}
        >
          Release
        </Action>
      </span>
    ),
  },
];

const NEARLY_FULL = 0.8;

/** The tone of a meter: full, nearly full, or neither. */
function fullness(usedCount: number, max: number): "bad" | "wait" | "good" {
  if (usedCount >= max) return "bad";
  return usedCount >= NEARLY_FULL * max ? "wait" : "good";
}

const STATES = { bad: ["✕", "full"], wait: ["◕", "nearly full"], good: ["●", "passes"] } as const;

/** The level of a meter. If it is full or tripped, also the time when the next request passes. */
function State({ meter: { used, next, view } }: { readonly meter: Meter }) {
  const level = fullness(used, view.count);
  const tripped = view.tripped_until;
  const tone = tripped !== undefined && level === "good" ? "wait" : level;
  const [glyph, text] = STATES[tone];
  return (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{glyph}</span> {tripped === undefined ? text : "tripped"}
      {(tripped !== undefined || tone === "bad") && (
        <>
          {" until "}
          <Time at={tripped ?? next} />
        </>
      )}
    </span>
  );
}

const ROW_COLUMNS: readonly Column<Row>[] = [
  { name: "Row", show: ({ row }) => <code>{row}</code> },
  { name: "Requests", show: ({ match }) => match.join("; ") },
  { name: "Counted by", show: ({ identity }) => identity },
  { name: "Category", show: ({ category }) => category },
  {
    name: "Actions",
    show: (row) => (
      <Action label={`Trip ${row.row}`} call={tripOf(row)}>
        Trip
      </Action>
    ),
  },
];

/** The call that refuses the requests of a row for one window, in one region or in both. */
function tripOf({ row }: Row, region?: string): Call {
  return control("PUT", `/rate-limits/${row}`, { remaining: 0, ...(region !== undefined && { region }) });
}
