import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  exportSnapshot,
  importSnapshot,
  type SnapshotTransport,
} from "../../emulator/runtime/library/snapshot-files.ts";
import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";
import type { Work } from "../asking.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";
import type { RunningWorld } from "../running.ts";
import { transportTo } from "./transport.ts";

const MEGABYTE = 1_000_000;

interface Written {
  readonly file: string;
  readonly bytes: number;
  /** Null when nothing was left out. */
  readonly left_out: string | null;
}

/** `snapshot export`: downloads a snapshot to a local file. */
export async function exportTo({ url }: RunningWorld, work: Work, invocation: Invocation): Promise<Written> {
  const [name = "", file = ""] = invocation.operands;
  const path = resolve(invocation.cwd, file);
  const options = { force: invocation.flags.force === true };
  const { bytes, leftOut } = await withExplanation(url, () =>
    exportSnapshot(transportOf(url, work, `writing ${file}`), name, path, options),
  );
  return { file: path, bytes, left_out: /[1-9]/.test(leftOut) ? leftOut : null };
}

/** `snapshot import`: uploads a local file as a snapshot. */
export async function importFrom(
  { url }: RunningWorld,
  work: Work,
  invocation: Invocation,
): Promise<SnapshotView> {
  const { flags, cwd, operands } = invocation;
  const [file = "", name] = operands;
  const options = {
    ...(name !== undefined && { name }),
    replace: flags.force === true,
    ...(typeof flags.secrets === "string" && { secrets: resolve(cwd, flags.secrets) }),
  };
  const path = resolve(cwd, file);
  const total = statSync(path, { throwIfNoEntry: false })?.size;
  return withExplanation(url, () =>
    importSnapshot<SnapshotView>(transportOf(url, work, `sending ${file}`, total), path, options),
  );
}

/** Shows how much was moved, and ends with the command. */
function transportOf(
  url: string,
  { progress, onStop }: Work,
  text: string,
  total?: number,
): SnapshotTransport {
  const abort = new AbortController();
  onStop(() => abort.abort());
  let moved = 0;
  const onBytes = (bytes: number) => {
    moved += bytes;
    progress.show(`${text}, ${(moved / MEGABYTE).toFixed(1)} MB`, total && Math.min(moved, total), total);
  };
  return transportTo(url, { signal: abort.signal, onBytes });
}

/** What the emulator refuses explains itself; what this machine's files do not allow is a wrong use. */
async function withExplanation<T>(url: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (name === "ArchiveFileError") throw new UsageError(message);
    if (name === "ErrorReply") throw error;
    if (code === undefined) throw new CommandFailure(message);
    const why = message || code;
    throw new CommandFailure(
      `${url}: the connection failed or was interrupted (${why}); nothing was written or imported`,
    );
  }
}
