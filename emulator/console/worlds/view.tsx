import { useState } from "preact/hooks";
import type { SnapshotView, WorldView } from "../../subjects/control-operation.ts";
import { control } from "../model/actions.ts";
import { present } from "../model/client.ts";
import { revision } from "../model/live.ts";
import { useResource } from "../model/resource.ts";
import { addressOf, route } from "../model/router.ts";
import { consoleOf, worldName } from "../model/world-address.ts";
import { Action } from "../parts/action.tsx";
import { TextField } from "../parts/field.tsx";
import { Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { Compare } from "./compare.tsx";
import { Snapshots } from "./snapshots.tsx";

/** The worlds and snapshots of this process, as a tree of forks. */
export function WorldsView() {
  const { id } = route.value;
  return id === null ? <AllWorlds /> : <Compare otherName={id} />;
}

function AllWorlds() {
  const worlds = useResource("worlds", () => present.worlds.list());
  const snapshots = useResource("snapshots", () => present.snapshots.list());
  return (
    <>
      <h1>Worlds</h1>
      <Loaded resource={worlds}>{(list) => <Tree worlds={list} snapshots={snapshots.value ?? []} />}</Loaded>
      <Fork />
      <Loaded resource={snapshots}>{(list) => <Snapshots list={list} />}</Loaded>
    </>
  );
}

const COLUMNS: readonly Column<TreeRow>[] = [
  { name: "World", show: (row) => <Name row={row} /> },
  { name: "Source", show: ({ from }) => from ?? "nothing" },
  { name: "Now", show: ({ world, snapshot }) => <Time at={world?.now ?? snapshot?.now} /> },
  { name: "Clock", show: ({ world }) => world?.clock?.mode ?? "" },
  { name: "Actions", show: (row) => row.world && <WorldActions name={row.name} /> },
];

function Tree({ worlds, snapshots }: { worlds: readonly WorldView[]; snapshots: readonly SnapshotView[] }) {
  const rows = treeOf(worlds, snapshots);
  return <Table label="Worlds" columns={COLUMNS} rows={rows} keyOf={({ kind, name }) => `${kind} ${name}`} />;
}

function Name({ row }: { readonly row: TreeRow }) {
  const indent = "\u00a0\u00a0\u00a0".repeat(row.depth);
  if (row.kind === "snapshot")
    return (
      <>
        {indent}
        <span aria-hidden="true">▣</span> {row.name} <span class="muted">snapshot</span>
      </>
    );
  return (
    <>
      {indent}
      <span aria-hidden="true">{row.depth > 0 ? "└ " : ""}◷</span>{" "}
      <a href={consoleOf(row.name)}>{row.name}</a>
      {row.name === worldName && <span class="pill good">this console</span>}
    </>
  );
}

function WorldActions({ name }: { readonly name: string }) {
  return (
    <span class="row">
      {name !== worldName && (
        <a class="button" href={addressOf("worlds", name)} aria-label={`Compare with ${name}`}>
          Compare
        </a>
      )}
      {name !== "main" && (
        <Action
          label={`Remove the world ${name}`}
          kind="danger"
          call={control("DELETE", `/worlds/${encodeURIComponent(name)}`)}
          onDone={() => {
            if (name === worldName) window.location.assign(consoleOf("main"));
            revision.value += 1;
          }}
        >
          Remove
        </Action>
      )}
    </span>
  );
}

/** Forks a world from this one: now, or as of a turn. */
function Fork() {
  const [id, setId] = useState("");
  const [at, setAt] = useState(route.value.query.get("at") ?? "");
  const turn = Number(at);
  const body = {
    from: worldName,
    ...(id !== "" && { id }),
    ...(at !== "" && { at: Number.isSafeInteger(turn) ? turn : at }),
  };
  const show = (reply: unknown) => window.location.assign(consoleOf((reply as WorldView).id));
  return (
    <section class="card form" aria-label="Fork">
      <h2 class="wide">Fork {worldName}</h2>
      <TextField name="Name of the fork" value={id} set={setId} hint="leave empty for the first free name" />
      <TextField name="As of" value={at} set={setAt} hint="an earlier turn or instant; empty for now" />
      <div class="row">
        <Action
          label={`Fork ${worldName}`}
          kind="main"
          call={control("POST", "/worlds", body)}
          onDone={show}
        />
      </div>
    </section>
  );
}

/** A world or a snapshot with its depth in the tree. */
interface TreeRow {
  readonly kind: "world" | "snapshot";
  readonly name: string;
  readonly from: string | null;
  readonly depth: number;
  readonly world?: WorldView;
  readonly snapshot?: SnapshotView;
}

/** The worlds in tree order, each after its parent. Children of a removed parent are at the root. */
function treeOf(worlds: readonly WorldView[], snapshots: readonly SnapshotView[]): readonly TreeRow[] {
  const nodes = [
    ...worlds.map((world) => ({ kind: "world" as const, name: world.id, from: world.from, world })),
    ...snapshots.map((snapshot) => ({
      kind: "snapshot" as const,
      name: snapshot.name,
      from: snapshot.of,
      snapshot,
    })),
  ];
  const names = new Set(nodes.map(({ name }) => name));
  const rows: TreeRow[] = [];
  const add = (node: (typeof nodes)[number], depth: number) => {
    if (rows.some(({ kind, name }) => kind === node.kind && name === node.name)) return;
    rows.push({ ...node, depth });
    for (const child of nodes) if (child.from === node.name && child !== node) add(child, depth + 1);
  };
  for (const node of nodes)
    if (node.from === null || !names.has(node.from) || node.from === node.name) add(node, 0);
  // A circle of names (a snapshot loaded into the world that it is of) has no root.
  for (const node of nodes) add(node, 0);
  return rows;
}
