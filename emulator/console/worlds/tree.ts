import type { SnapshotView, WorldView } from "../../subjects/control-operation.ts";

/** A world or a snapshot with its depth in the tree. */
export interface TreeRow {
  readonly kind: "world" | "snapshot";
  readonly name: string;
  readonly from: string | null;
  readonly depth: number;
  readonly world?: WorldView;
  readonly snapshot?: SnapshotView;
}

/** The worlds in tree order, each after its parent. Children of a removed parent are at the root. */
export function treeOf(worlds: readonly WorldView[], snapshots: readonly SnapshotView[]): readonly TreeRow[] {
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
