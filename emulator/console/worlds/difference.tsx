import type { Changes, WorldDifference } from "../../subjects/world-difference.ts";
import { present } from "../model/client.ts";
import { worldName } from "../model/place.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";

interface Row {
  readonly name: string;
  readonly changes: Changes;
}

const columnsFor = (other: string): readonly Column<Row>[] => [
  { name: "What", show: ({ name }) => <code>{name}</code> },
  { name: `Only in ${worldName}`, number: true, show: ({ changes }) => changes.removed },
  { name: `Only in ${other}`, number: true, show: ({ changes }) => changes.added },
  { name: "Changed", number: true, show: ({ changes }) => changes.changed },
  { name: "Which", show: ({ changes }) => <Which changes={changes} /> },
];

/** All that differs between this world and another, and the turn at which they part. */
export function Difference({ other }: { readonly other: string }) {
  const path = `/worlds/${encodeURIComponent(worldName)}/diff?with=${encodeURIComponent(other)}`;
  const found = useResource(path, () => present.call<WorldDifference>("GET", path));
  return (
    <section aria-label="All differences">
      <h2>All differences</h2>
      <Loaded of={found}>{(difference) => <Shown of={difference} other={other} />}</Loaded>
    </section>
  );
}

interface ShownProps {
  readonly of: WorldDifference;
  readonly other: string;
}

function Shown({ of: { same, records, rows, objects, events, parted }, other }: ShownProps) {
  const all = { ...records, "trace rows": rows, objects, "due events": events };
  const list = Object.entries(all).flatMap(([name, changes]) =>
    changes.added + changes.removed + changes.changed > 0 ? [{ name, changes }] : [],
  );
  return (
    <>
      {same && <p>Only the time differs.</p>}
      {parted && parted.turn !== null && (
        <p>
          They part at turn <a href={addressOf("time", null, { turn: parted.turn })}>{parted.turn}</a>.
        </p>
      )}
      {list.length > 0 && (
        <Table label="Differences" columns={columnsFor(other)} rows={list} keyOf={({ name }) => name} />
      )}
    </>
  );
}

function Which({ changes }: { readonly changes: Changes }) {
  return (
    <details>
      <summary>{changes.items.length} shown</summary>
      <Json value={changes.items} />
    </details>
  );
}
