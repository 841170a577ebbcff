import type { Changes, WorldDifference } from "../../subjects/world-difference.ts";
import { present } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { addressOf } from "../model/router.ts";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { WhyLink } from "../parts/why-link.tsx";

interface Row {
  readonly name: string;
  readonly changes: Changes;
}

type Names = readonly [one: string, other: string];

const columnsFor = ([one, other]: Names): readonly Column<Row>[] => [
  { name: "What", show: ({ name }) => <code>{name}</code> },
  { name: `Only ${one}`, number: true, show: ({ changes }) => changes.removed },
  { name: `Only ${other}`, number: true, show: ({ changes }) => changes.added },
  { name: "Changed", number: true, show: ({ changes }) => changes.changed },
  { name: "Which", show: ({ changes }) => <Which changes={changes} /> },
];

interface DifferenceProps {
  readonly heading: string;
  /** The comparison of the control API. */
  readonly path: string;
  /** Both sides, as they follow "only". */
  readonly names: Names;
}

/** All differences between two worlds or two turns, and the turn at which they diverge. */
export function Difference({ heading, path, names }: DifferenceProps) {
  const resource = useResource(path, () => present.call<WorldDifference>("GET", path));
  return (
    <section aria-label={heading}>
      <h2>{heading}</h2>
      <Loaded resource={resource}>
        {(difference) => <DifferenceTable difference={difference} names={names} />}
      </Loaded>
    </section>
  );
}

interface DifferenceTableProps {
  readonly difference: WorldDifference;
  readonly names: Names;
}

function DifferenceTable({
  difference: { same, records, rows, objects, events, parted },
  names,
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
        <Table label="Differences" columns={columnsFor(names)} rows={list} keyOf={({ name }) => name} />
      )}
    </>
  );
}

function Which({ changes }: { readonly changes: Changes }) {
  return (
    <details>
      <summary>{changes.items.length} shown</summary>
      <ul>
        {changes.items.map(({ key, change, ...more }) => (
          <li key={key}>
            {change} <code class="key">{key}</code> <WhyLink id={key} />
            {Object.keys(more).length > 0 && <Json value={more} />}
          </li>
        ))}
      </ul>
      {changes.cut > 0 && (
        <p class="muted">{changes.cut.toLocaleString("en")} more are counted and not listed.</p>
      )}
    </details>
  );
}
