import { createControlClient } from "../../client/control-client.ts";
import { sendTo } from "../../client/send.ts";
import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import type { WorldView } from "../../subjects/control-operation.ts";
import { present } from "../model/client.ts";
import { count } from "../model/count.ts";
import { consoleOf, worldName } from "../model/place.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Difference } from "./difference.tsx";

/** An export of one world, of the other, or of both. */
interface Pair {
  readonly id: string;
  readonly here: ExportOverview | undefined;
  readonly there: ExportOverview | undefined;
}

const EXPORTS = "/exports?limit=1000";

/** The exports of this world and of another side by side; those that differ are marked. */
export function Compare({ other }: { readonly other: string }) {
  const found = useResource(`compare ${other}`, () => pairsWith(other));
  const columns: readonly Column<Pair>[] = [
    { name: "Export", show: ({ id }) => <ExportLink id={id} /> },
    { name: worldName, show: ({ here }) => <Side of={here} /> },
    { name: other, show: ({ there }) => <Side of={there} /> },
    { name: "Same", show: (pair) => (isSame(pair) ? "= the same" : "≠ differs") },
  ];
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("worlds")}>Worlds</a> / {worldName} and <a href={consoleOf(other)}>{other}</a>
      </nav>
      <h1>
        {worldName} and {other}
      </h1>
      <Loaded of={found}>
        {(pairs) =>
          pairs.length === 0 ? (
            <Empty>Neither world has an export.</Empty>
          ) : (
            <Table label="Exports of both" columns={columns} rows={pairs} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      <Difference other={other} />
    </>
  );
}

/** The other world is read at its own address on this origin. */
async function pairsWith(other: string): Promise<readonly Pair[]> {
  const { url } = await present.call<WorldView>("GET", `/worlds/${encodeURIComponent(other)}`);
  const base = window.location.origin + new URL(url).pathname.replace(/\/$/, "");
  const there = await createControlClient(sendTo(base)).call<readonly ExportOverview[]>("GET", EXPORTS);
  const here = await present.call<readonly ExportOverview[]>("GET", EXPORTS);
  const ids = new Set([...here, ...there].map(({ id }) => id));
  return [...ids].map((id) => ({
    id,
    here: here.find((each) => each.id === id),
    there: there.find((each) => each.id === id),
  }));
}

function ExportLink({ id }: { readonly id: string }) {
  return (
    <a class="mono" href={addressOf("exports", id)}>
      {id.slice(0, 8)}
    </a>
  );
}

function Side({ of }: { readonly of: ExportOverview | undefined }) {
  if (!of) return <span class="none">none</span>;
  const { rows, files, failed } = countsOf(of);
  return (
    <>
      <Status of={of.status} />{" "}
      <span class="muted">
        {count(rows, "row")}, {count(files, "file")}, {count(failed, "failed attempt")}
      </span>
    </>
  );
}

function isSame({ here, there }: Pair): boolean {
  return (
    here !== undefined &&
    there !== undefined &&
    JSON.stringify(countsOf(here)) === JSON.stringify(countsOf(there))
  );
}

function countsOf({ status, runs, finished_at }: ExportOverview) {
  const sum = (of: (run: ExportOverview["runs"][number]) => number) =>
    runs.reduce((total, run) => total + of(run), 0);
  return {
    ...{ status, finished_at },
    rows: sum((run) => run.rows),
    files: sum((run) => run.files),
    failed: sum((run) => run.attempt),
  };
}
