import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { exportSnapshot, importSnapshot } from "../../emulator/runtime/library/snapshot-files.ts";
import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";
import { configurationOf } from "../configuration.ts";
import { transportTo } from "./transport.ts";

interface Written {
  readonly file: string;
  readonly bytes: number;
  /** Null when nothing was. */
  readonly left_out: string | null;
}

/** `snapshot export`: from wherever the emulator runs to a file here. */
export async function exportTo(
  url: string,
  [name = "", file = ""]: readonly string[],
  invocation: Invocation,
): Promise<Written> {
  const path = resolve(invocation.cwd, file);
  const options = { ...(await passphraseOf(invocation)), force: invocation.flags.force === true };
  const { bytes, leftOut } = await withExplanation(url, () =>
    exportSnapshot(transportTo(url), name, path, options),
  );
  return { file: path, bytes, left_out: /[1-9]/.test(leftOut) ? leftOut : null };
}

/** `snapshot import`: from a file here to wherever the emulator runs. */
export async function importFrom(
  url: string,
  [file = "", name]: readonly string[],
  invocation: Invocation,
): Promise<SnapshotView> {
  const { flags, cwd } = invocation;
  const options = {
    ...(await passphraseOf(invocation)),
    ...(name !== undefined && { name }),
    replace: flags.force === true,
    withoutSecrets: flags["without-secrets"] === true,
  };
  return withExplanation(url, () =>
    importSnapshot<SnapshotView>(transportTo(url), resolve(cwd, file), options),
  );
}

/** A flag wins over a file, and both over the environment and the configuration file. */
async function passphraseOf(invocation: Invocation): Promise<{ readonly passphrase?: string }> {
  const { flags, cwd } = invocation;
  if (typeof flags.passphrase === "string") return { passphrase: flags.passphrase };
  const file = flags["passphrase-file"];
  if (typeof file === "string") return { passphrase: await firstLineOf(resolve(cwd, file)) };
  const { snapshotPassphrase } = (await configurationOf(invocation)).configuration;
  return snapshotPassphrase === null ? {} : { passphrase: snapshotPassphrase };
}

async function firstLineOf(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--passphrase-file: ${file} cannot be read (${error.code}); check the path`);
  });
  const line = text.split(/\r?\n/, 1)[0] ?? "";
  if (line === "") throw new UsageError(`--passphrase-file: ${file} has nothing in its first line`);
  return line;
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
      `${url}: the connection failed or broke off (${why}); nothing was written or imported`,
    );
  }
}
