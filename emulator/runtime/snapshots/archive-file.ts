import { createReadStream } from "node:fs";
import { access, link, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { FILE_ADVICE, fileAdvice, writeAdvice } from "../process/file-advice.ts";
import { isAlive } from "../process/locator.ts";

/** A file cannot be written or read. The message gives the reason and the next step. */
export class ArchiveFileError extends Error {
  override readonly name = "ArchiveFileError";
}

const TEMPORARY_SUFFIX = ".new";
const CHUNK_BYTES = 256 * 1024;

/** Throws an `ArchiveFileError` when the file could not be written later. */
export async function checkWritable(path: string, mayReplace: boolean): Promise<void> {
  await refuseExisting(path, mayReplace);
  if ((await stat(path).catch(() => undefined))?.isDirectory())
    throw new ArchiveFileError(`${path}: ${FILE_ADVICE.EISDIR}`);
  await explaining(path, async () => {
    const temporary = temporaryName(path);
    await (await open(temporary, "w", 0o600)).close();
    await unlink(temporary);
  });
}

/** Writes the whole file or nothing: it gets its name when all of it is on the disk. */
export async function writeArchiveFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  mayReplace: boolean,
): Promise<number> {
  await refuseExisting(path, mayReplace);
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

/** Opens a file for reading at once, so that a missing file is reported before anything is sent. */
export async function readArchiveFile(path: string): Promise<AsyncIterable<Uint8Array>> {
  const handle = await explaining(path, () => open(path, "r"), fileAdvice);
  if ((await handle.stat()).isDirectory()) {
    await handle.close();
    throw new ArchiveFileError(`${path}: ${FILE_ADVICE.EISDIR}`);
  }
  return createReadStream("", { fd: handle, highWaterMark: CHUNK_BYTES });
}

/** Removes the temporary files of processes of this machine that were killed while they wrote a file of this name. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  const prefix = temporaryPrefix(path);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix) || !name.endsWith(TEMPORARY_SUFFIX)) continue;
    const writer = name.slice(prefix.length, -TEMPORARY_SUFFIX.length);
    const [, host = "", pid = ""] = /^(.+)\.(\d+)$/.exec(writer) ?? [];
    if (host !== "" && !isAlive({ hostname: host, pid: Number(pid) }))
      await rm(join(folder, name), { force: true });
  }
}

async function writeAll(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  // A killed process may have left a file of this name: in containers, all processes have the same id.
  const file = await open(path, "w", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      for (let offset = 0; offset < chunk.length; ) offset += (await file.write(chunk, offset)).bytesWritten;
      bytes += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}

/** Creates a new name with a link, which fails when the name exists. */
async function publish(temporary: string, path: string, mayReplace: boolean): Promise<void> {
  if (mayReplace) return rename(temporary, path);
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw existing(path);
    await rename(temporary, path);
  }
}

/** Contains the host and process that write the file: several machines may share the folder. */
function temporaryName(path: string): string {
  const name = `${temporaryPrefix(path)}${hostname()}.${process.pid}${TEMPORARY_SUFFIX}`;
  return join(dirname(path), name);
}

function temporaryPrefix(path: string): string {
  return `.${basename(path)}.`;
}

async function refuseExisting(path: string, mayReplace: boolean): Promise<void> {
  const isMissing = mayReplace || (await access(path).catch(() => true));
  if (!isMissing) throw existing(path);
}

function existing(path: string): ArchiveFileError {
  return new ArchiveFileError(`${path} already exists. Use another file name, or replace it with --force.`);
}

async function explaining<T>(path: string, act: () => Promise<T>, adviceOn = writeAdvice): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isListed = Object.hasOwn(FILE_ADVICE, (error as NodeJS.ErrnoException).code ?? "");
    throw isListed ? new ArchiveFileError(`${path}: ${adviceOn(error)}`) : error;
  }
}
