import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import { CONTROL_PREFIX } from "../../subjects/control-prefix.ts";

/** How a snapshot is written to a file. */
export interface SnapshotExportOptions {
  /** What the secrets are under; without one they are left out. */
  readonly passphrase?: string;
  /** Whether a file of that name may be there already. */
  readonly force?: boolean;
}

/** How a snapshot is read from a file. */
export interface SnapshotImportOptions {
  /** The name that the file gives when left out. */
  readonly name?: string;
  readonly passphrase?: string;
  /** Takes the rest of a file whose passphrase is not known. */
  readonly withoutSecrets?: boolean;
  /** Whether a snapshot of that name may be there already. */
  readonly replace?: boolean;
}

/** How files get to an emulator and back, wherever that is. */
export type SnapshotTransport = (
  method: "GET" | "POST",
  path: string,
  headers: Readonly<Record<string, string>>,
  chunks?: AsyncIterable<Uint8Array>,
) => Promise<TransportReply>;

interface TransportReply {
  readonly ok: boolean;
  /** What had to be left out of a file for want of a passphrase. */
  readonly leftOut: string;
  /** To be read to its end, or left. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const FOLDER = `${CONTROL_PREFIX}v1/snapshots`;
const REASON_CHARS = 300;

/** Writes a snapshot to a file, whole or not at all. */
export async function exportSnapshot(
  transport: SnapshotTransport,
  name: string,
  file: string,
  { passphrase, force = false }: SnapshotExportOptions = {},
): Promise<{ readonly bytes: number; readonly leftOut: string }> {
  const { checkWritable, writeArchiveFile } = await import("../../storage/archive/archive-file.ts");
  await checkWritable(file, force);
  const path = `${FOLDER}/${encodeURIComponent(name)}/file`;
  const { ok, leftOut, chunks } = await transport("GET", path, headersFor(passphrase));
  if (!ok) throw new Error(reasonOf(await text(chunks)));
  return { bytes: await writeArchiveFile(file, chunks, force), leftOut };
}

/** Makes a snapshot of a file. */
export async function importSnapshot<Facts>(
  transport: SnapshotTransport,
  file: string,
  { name, passphrase, withoutSecrets, replace }: SnapshotImportOptions = {},
): Promise<Facts> {
  const { readArchiveFile } = await import("../../storage/archive/archive-file.ts");
  const query = new URLSearchParams({
    ...(name !== undefined && { name }),
    ...(replace === true && { replace: "1" }),
    ...(withoutSecrets === true && { without_secrets: "1" }),
  });
  const path = `${FOLDER}/file?${query}`;
  const { ok, chunks } = await transport("POST", path, headersFor(passphrase), await readArchiveFile(file));
  const answer = await text(chunks);
  if (!ok) throw new Error(reasonOf(answer));
  return JSON.parse(answer) as Facts;
}

/** The way to an emulator that is asked as with `fetch`. */
export function transportOver(
  request: (path: string, init: RequestInit) => Promise<Response>,
): SnapshotTransport {
  return async (method, path, headers, chunks) => {
    const body = chunks && Readable.toWeb(Readable.from(chunks));
    // Only with this word does the standard take a body that is still to come.
    const init: unknown = { method, headers, ...(body && { body, duplex: "half" }) };
    const reply = await request(path, init as RequestInit);
    return {
      ok: reply.ok,
      leftOut: reply.headers.get("x-emulator-left-out") ?? "",
      // Node's own type knows that a stream can be read piece by piece, that of the standard does not.
      chunks: Readable.fromWeb(reply.body as ReadableStream),
    };
  };
}

function headersFor(passphrase: string | undefined): Record<string, string> {
  return passphrase === undefined ? {} : { "x-emulator-passphrase": encodeURIComponent(passphrase) };
}

function reasonOf(answer: string): string {
  try {
    const { message, hint } = (JSON.parse(answer) as { error: { message: string; hint?: string } }).error;
    return hint === undefined ? message : `${message} ${hint}`;
  } catch {
    return answer.slice(0, REASON_CHARS);
  }
}
