import { CONTROL_PATH } from "../../client/control-client.ts";
import { clientOf, present } from "./client.ts";
import { status } from "./clock.ts";
import { worldName } from "./world-address.ts";

/** How the state before an action is restored. */
export interface Undo {
  /** The world that the action changed. */
  readonly world: string;
  readonly path: string;
  readonly body: { readonly at: number } | { readonly id: string; readonly from: string } | object;
}

const REPLACEMENT = /^\/(?:reset|snapshots\/([^/]+)\/load)$/;
const REMOVAL = /^\/worlds\/([^/]+)$/;
/** Paths of operations that change no world, or not this one. */
const OTHERS = /^\/(?:worlds|snapshots|secrets)(?:\/|$)/;

/**
 * How to undo a call that is about to be sent; null for one that changes no world. A world returns to its last turn.
 * Where the call removes the history as well, the world is saved as a snapshot first. Throws if that fails.
 */
export async function planUndo({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): Promise<Undo | null> {
  const operation = path.startsWith(CONTROL_PATH) ? path.slice(CONTROL_PATH.length) : "";
  const removed = method === "DELETE" ? REMOVAL.exec(operation)?.[1] : undefined;
  if (removed !== undefined) {
    const id = decodeURIComponent(removed);
    return { world: id, path: "/worlds", body: { id, from: await saveWorld(id, "undo") } };
  }
  const replacement = REPLACEMENT.exec(operation);
  if (replacement) {
    // A world may be replaced with the snapshot that was saved for an earlier undo.
    const prefix = decodeURIComponent(replacement[1] ?? "") === `undo-${worldName}` ? "redo" : "undo";
    return { world: worldName, path: `/snapshots/${await saveWorld(worldName, prefix)}/load`, body: {} };
  }
  if (path.startsWith("/w/") || OTHERS.test(operation)) return null;
  const current = await present.status().catch(() => null);
  if (current === null) return null;
  const { turn, generation } = current;
  return { world: worldName, path: "/rewind", body: { at: turn, generation } };
}

/** Whether the history still reaches back to the state before the action. */
export function canUndo({ world, path, body }: Undo): boolean {
  if (path === "/worlds") return true;
  if (world !== worldName || !status.value) return false;
  const { turn, history } = status.value;
  return !("at" in body) || (Number(body.at) >= history.earliest_turn && Number(body.at) <= turn);
}

/** Saves a world as a snapshot that the next undoable action of this kind replaces; returns its name. */
async function saveWorld(id: string, prefix: string): Promise<string> {
  const name = `${prefix}-${id}`;
  await clientOf(id).snapshots.save(name);
  return encodeURIComponent(name);
}
