import { createReadStream } from "node:fs";
import { access, link, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { FILE_ADVICE } from "../file-advice.ts";
import { isAlive } from "../locator.ts";

/** The file cannot be written or read; the message says why and what to do. */
export class ArchiveFileError extends Error {
  override readonly name = "ArchiveFileError";
}

const TEMPORARY_END = ".new";
const PIECE_BYTES = 256 * 1024;

/** Refuses where a file could not be written later on. */
export async function checkWritable(path: string, mayReplace: boolean): Promise<void> {
  if (!mayReplace && (await isThere(path))) throw taken(path);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new ArchiveFileError(`${path}: ${FILE_ADVICE.EISDIR}`);
  await explaining(path, async () => {
    const temporary = temporaryName(path);
    await (await open(temporary, "w", 0o600)).close();
    await unlink(temporary);
  });
}

/** Writes the whole file or nothing: it gets its name when all of it is there and on the disk. */
export async function writeArchiveFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  mayReplace: boolean,
): Promise<number> {
  if (!mayReplace && (await isThere(path))) throw taken(path);
  const temporary = temporaryName(path);
  await removeAbandoned(path);
  try {
    const bytes = await explaining(path, () => writeAll(temporary, chunks));
    await explaining(path, () => publish(temporary, path, mayReplace));
    return bytes;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Opens a file for reading at once, so that a missing one is reported before anything is sent. */
export async function readArchiveFile(path: string): Promise<AsyncIterable<Uint8Array>> {
  const handle = await explaining(path, () => open(path, "r"));
  if ((await handle.stat()).isDirectory()) {
    await handle.close();
    throw new ArchiveFileError(`${path}: ${FILE_ADVICE.EISDIR}`);
  }
  return createReadStream("", { fd: handle, highWaterMark: PIECE_BYTES });
}

/** Removes what processes of this machine have left that were killed while they wrote a file of this name. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  const before = temporaryBegin(path);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(before) || !name.endsWith(TEMPORARY_END)) continue;
    const writer = name.slice(before.length, -TEMPORARY_END.length);
    const [, host = "", pid = ""] = /^(.+)\.(\d+)$/.exec(writer) ?? [];
    if (host !== "" && !isAlive({ hostname: host, pid: Number(pid) }))
      await rm(join(folder, name), { force: true });
  }
}

async function writeAll(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  // A killed process may have left one of this name: in containers they all have the same number.
  const file = await open(path, "w", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done)).bytesWritten;
      bytes += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}

/** A name that must be new is created by a link, which fails when it exists already. */
async function publish(temporary: string, path: string, mayReplace: boolean): Promise<void> {
  if (mayReplace) return rename(temporary, path);
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken(path);
    await rename(temporary, path);
  }
}

/** Names whose file it is on the way, and who writes it: the folder may be shared by several machines. */
function temporaryName(path: string): string {
  const name = `${temporaryBegin(path)}${hostname()}.${process.pid}${TEMPORARY_END}`;
  return join(dirname(path), name);
}

function temporaryBegin(path: string): string {
  return `.${basename(path)}.`;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function taken(path: string): ArchiveFileError {
  return new ArchiveFileError(`${path} is there already; name another file, or replace it with --force`);
}

async function explaining<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const advice = FILE_ADVICE[(error as NodeJS.ErrnoException).code ?? ""];
    throw advice === undefined ? error : new ArchiveFileError(`${path}: ${advice}`);
  }
}
