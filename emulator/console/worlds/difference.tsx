import type { Changes, WorldDifference } from "../../subjects/world-difference.ts";
import { present } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { worldName } from "../model/world-address.ts";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";

interface Row {
  readonly name: string;
  readonly changes: Changes;
}

const columnsFor = (otherName: string): readonly Column<Row>[] => [
  { name: "What", show: ({ name }) => <code>{name}</code> },
  { name: `Only in ${worldName}`, number: true, show: ({ changes }) => changes.removed },
  { name: `Only in ${otherName}`, number: true, show: ({ changes }) => changes.added },
  { name: "Changed", number: true, show: ({ changes }) => changes.changed },
  { name: "Which", show: ({ changes }) => <Which changes={changes} /> },
];

/** All differences between this world and another one, and the turn at which they diverge. */
export function Difference({ otherName }: { readonly otherName: string }) {
  const path = `/worlds/${encodeURIComponent(worldName)}/diff?with=${encodeURIComponent(otherName)}`;
  const resource = useResource(path, () => present.call<WorldDifference>("GET", path));
  return (
    <section aria-label="All differences">
      <h2>All differences</h2>
      <Loaded resource={resource}>
        {(difference) => <DifferenceTable difference={difference} otherName={otherName} />}
      </Loaded>
    </section>
  );
}

interface DifferenceTableProps {
  readonly difference: WorldDifference;
  readonly otherName: string;
}

function DifferenceTable({
  difference: { same, records, rows, objects, events, parted },
  otherName,
}: DifferenceTableProps) {
  const changesByKind = { ...records, "trace rows": rows, objects, "due events": events };
  const list = Object.entries(changesByKind).flatMap(([name, changes]) =>
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
        <Table label="Differences" columns={columnsFor(otherName)} rows={list} keyOf={({ name }) => name} />
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
