import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import { clientOf, present } from "../model/client.ts";
import { count } from "../model/count.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { consoleOf, worldName } from "../model/world-address.ts";
import { AdvanceBy } from "../parts/advance-by.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Difference } from "./difference.tsx";

/** An export of one world, of the other, or of both. */
interface Pair {
  readonly id: string;
  readonly ownExport: ExportOverview | undefined;
  readonly otherExport: ExportOverview | undefined;
}

const EXPORTS = "/exports?limit=1000";

/** The exports of this world and another one side by side, with their differences. */
export function Compare({ otherName }: { readonly otherName: string }) {
  const resource = useResource(`compare ${otherName}`, () => pairsWith(otherName));
  const columns: readonly Column<Pair>[] = [
    { name: "Export", show: ({ id }) => <ExportLink id={id} /> },
    { name: worldName, show: ({ ownExport }) => <Side overview={ownExport} /> },
    { name: otherName, show: ({ otherExport }) => <Side overview={otherExport} /> },
    { name: "Same", show: (pair) => (isSame(pair) ? "= the same" : "≠ differs") },
  ];
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("worlds")}>Worlds</a> / {worldName} and{" "}
        <a href={consoleOf(otherName)}>{otherName}</a>
      </nav>
      <header class="row">
        <h1>
          {worldName} and {otherName}
        </h1>
        <span class="spacer" />
        <AdvanceBy other={otherName} />
      </header>
      <Difference
        heading="All differences"
        path={`/worlds/${encodeURIComponent(worldName)}/diff?with=${encodeURIComponent(otherName)}`}
        names={[`in ${worldName}`, `in ${otherName}`]}
      />
      <Loaded resource={resource}>
        {(pairs) =>
          pairs.length === 0 ? (
            <Empty>Neither world has an export.</Empty>
          ) : (
            <Table label="Exports of both" columns={columns} rows={pairs} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </>
  );
}

/** The exports of both worlds in pairs. */
async function pairsWith(otherName: string): Promise<readonly Pair[]> {
  const [own, other] = await Promise.all(
    [present, clientOf(otherName)].map((client) => client.call<readonly ExportOverview[]>("GET", EXPORTS)),
  );
  const ids = new Set([...(own ?? []), ...(other ?? [])].map(({ id }) => id));
  return [...ids].map((id) => ({
    id,
    ownExport: own?.find((each) => each.id === id),
    otherExport: other?.find((each) => each.id === id),
  }));
}

function ExportLink({ id }: { readonly id: string }) {
  return (
    <a class="mono" href={addressOf("exports", id)}>
      {id.slice(0, 8)}
    </a>
  );
}

function Side({ overview }: { readonly overview: ExportOverview | undefined }) {
  if (!overview) return <span class="none">none</span>;
  const { rows, files, failed } = countsOf(overview);
  return (
    <>
      <Status status={overview.status} />{" "}
      <span class="muted">
        {count(rows, "row")}, {count(files, "file")}, {count(failed, "failed attempt")}
      </span>
    </>
  );
}

function isSame({ ownExport, otherExport }: Pair): boolean {
  return (
    ownExport !== undefined &&
    otherExport !== undefined &&
    JSON.stringify(countsOf(ownExport)) === JSON.stringify(countsOf(otherExport))
  );
}

function countsOf({ status, runs, finished_at }: ExportOverview) {
  const sum = (numberOf: (run: ExportOverview["runs"][number]) => number) =>
    runs.reduce((total, run) => total + numberOf(run), 0);
  return {
    ...{ status, finished_at },
    rows: sum((run) => run.rows),
    files: sum((run) => run.files),
    failed: sum((run) => run.attempt),
  };
}
