import { Refusal } from "../../kernel/refusal.ts";
import { collection } from "../../kernel/table.ts";
import type { Reader, Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import type { TracePatch } from "./normalise.ts";

/** A patch whose row has not been posted yet. */
interface HeldPatch extends Workspace {
  readonly row_id: string;
  /** Counts the patches of the row from 1. */
  readonly number: number;
  /** The patch as JSON text: nobody reads it before the row comes. */
  readonly text: string;
}

/** How much a workspace holds, so that its bounds cost no walk over its patches. */
interface HeldTotal extends Workspace {
  readonly patches: number;
  readonly bytes: number;
}

/** Held patches by the row that they wait for, oldest first. */
export const HELD_PATCHES = collection<HeldPatch>(
  "held_patches",
  (patch) => `${rowKey(patch, patch.row_id)}/${patch.number}`,
  (patch) => rowKey(patch, patch.row_id),
);

export const HELD_TOTALS = collection<HeldTotal>("held_totals", workspaceKey);

/**
 * Keeps patches until their rows are posted, each behind those of its row that are held already: all of them,
 * or none and a `Refusal` (429, `held_patches_full`).
 */
export function holdPatches(
  turn: Turn,
  workspace: Workspace,
  patches: readonly { readonly id: string; readonly patch: TracePatch }[],
): void {
  if (patches.length === 0) return;
  const { region, tenant_id } = workspace;
  const texts = patches.map(({ id, patch }) => ({ row_id: id, text: JSON.stringify(patch) }));
  const bytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const before = totalOf(turn, workspace);
  refuseExcess(turn, before.patches + texts.length, before.bytes + bytes);
  for (const { row_id, text } of texts) {
    const number = turn.count(HELD_PATCHES, rowKey(workspace, row_id)) + 1;
    turn.put(HELD_PATCHES, { region, tenant_id, row_id, number, text });
  }
  turn.put(HELD_TOTALS, {
    region,
    tenant_id,
    patches: before.patches + texts.length,
    bytes: before.bytes + bytes,
  });
}

/** Whether patches wait for a row. */
export function hasHeldPatches(reader: Reader, workspace: Workspace, rowId: string): boolean {
  return reader.count(HELD_PATCHES, rowKey(workspace, rowId)) > 0;
}

/** Hands out the patches that wait for a row, oldest first, and holds them no longer. */
export function takeHeldPatches(turn: Turn, workspace: Workspace, rowId: string): readonly TracePatch[] {
  const patches = [...turn.list(HELD_PATCHES, rowKey(workspace, rowId))];
  if (patches.length === 0) return [];
  for (const each of patches) turn.remove(HELD_PATCHES, HELD_PATCHES.idOf(each));
  const before = totalOf(turn, workspace);
  const bytes = patches.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const after = { ...before, patches: before.patches - patches.length, bytes: before.bytes - bytes };
  if (after.patches === 0) turn.remove(HELD_TOTALS, workspaceKey(workspace));
  else turn.put(HELD_TOTALS, after);
  return patches.map(({ text }) => JSON.parse(text) as TracePatch);
}

function totalOf(reader: Reader, workspace: Workspace): HeldTotal {
  const { region, tenant_id } = workspace;
  return reader.get(HELD_TOTALS, workspaceKey(workspace)) ?? { region, tenant_id, patches: 0, bytes: 0 };
}

function rowKey(workspace: Workspace, rowId: string): string {
  return `${workspaceKey(workspace)}/${rowId}`;
}

function refuseExcess(turn: Turn, patches: number, bytes: number): void {
  const { held_patches_per_workspace, held_patch_bytes_per_workspace } = turn.ports.settings.limits;
  if (patches <= held_patches_per_workspace && bytes <= held_patch_bytes_per_workspace) return;
  throw new Refusal(
    429,
    "held_patches_full",
    `The workspace would hold ${patches} changes (${bytes} bytes) of rows that were never posted; ` +
      `at most ${held_patches_per_workspace} (${held_patch_bytes_per_workspace} bytes) are accepted.`,
    "Post their rows first, or raise limits.held_patches_per_workspace and limits.held_patch_bytes_per_workspace.",
  );
}
