import { resolve } from "node:path";
import { exportSnapshot, importSnapshot } from "../../emulator/runtime/library/snapshot-files.ts";
import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";
import { transportTo } from "./transport.ts";

interface Written {
  readonly file: string;
  readonly bytes: number;
  /** Null when nothing was left out. */
  readonly left_out: string | null;
}

/** `snapshot export`: downloads a snapshot to a local file. */
export async function exportTo(
  url: string,
  [name = "", file = ""]: readonly string[],
  invocation: Invocation,
): Promise<Written> {
  const path = resolve(invocation.cwd, file);
  const options = { force: invocation.flags.force === true };
  const { bytes, leftOut } = await withExplanation(url, () =>
    exportSnapshot(transportTo(url), name, path, options),
  );
  return { file: path, bytes, left_out: /[1-9]/.test(leftOut) ? leftOut : null };
}

/** `snapshot import`: uploads a local file as a snapshot. */
export async function importFrom(
  url: string,
  [file = "", name]: readonly string[],
  invocation: Invocation,
): Promise<SnapshotView> {
  const { flags, cwd } = invocation;
  const options = {
    ...(name !== undefined && { name }),
    replace: flags.force === true,
    ...(typeof flags.secrets === "string" && { secrets: resolve(cwd, flags.secrets) }),
  };
  return withExplanation(url, () =>
    importSnapshot<SnapshotView>(transportTo(url), resolve(cwd, file), options),
  );
}

/** What the emulator refuses is a failure; what this machine's files do not allow is a wrong use. */
async function withExplanation<T>(url: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (name === "ArchiveFileError") throw new UsageError(message);
    if (code === undefined) throw new CommandFailure(message);
    const why = message || code;
    throw new CommandFailure(
      `${url}: the connection failed or was interrupted (${why}); nothing was written or imported`,
    );
  }
}
