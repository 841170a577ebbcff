import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReadableStream } from "node:stream/web";
import { ErrorReply, valueOf } from "../../client/send.ts";
import { CONTROL_PREFIX } from "../../subjects/control-prefix.ts";
import type { SuppliedSecrets } from "../../subjects/snapshot-secrets.ts";
import { checkWritable, readArchiveFile, writeArchiveFile } from "../snapshots/archive-file.ts";
import { readSecretsFile } from "../snapshots/secrets-file.ts";

/** How a snapshot is written to a file. */
export interface SnapshotExportOptions {
  /** Whether a file of that name may be there already. */
  readonly force?: boolean;
}

/** How a snapshot is read from a file. */
export interface SnapshotImportOptions {
  /** The name that the file gives when left out. */
  readonly name?: string;
  /** A JSON file with the secrets that the snapshot file goes without, or some of them. */
  readonly secrets?: string;
  /** Whether a snapshot of that name may be there already. */
  readonly replace?: boolean;
}

/** How files get to an emulator and back, wherever that is. */
export type SnapshotTransport = (
  method: "GET" | "POST" | "PUT",
  path: string,
  chunks?: AsyncIterable<Uint8Array>,
) => Promise<TransportReply>;

interface TransportReply {
  readonly status: number;
  readonly ok: boolean;
  /** How many secrets were left out of a file. */
  readonly leftOut: string;
  /** To be read to its end, or left. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const FOLDER = `${CONTROL_PREFIX}v1/snapshots`;

/** Writes a snapshot to a file, whole or not at all. */
export async function exportSnapshot(
  transport: SnapshotTransport,
  name: string,
  file: string,
  { force = false }: SnapshotExportOptions = {},
): Promise<{ readonly bytes: number; readonly leftOut: string }> {
  await checkWritable(file, force);
  const path = `${FOLDER}/${encodeURIComponent(name)}/file`;
  const { status, ok, leftOut, chunks } = await transport("GET", path);
  if (!ok) throw new ErrorReply("GET", path, status, valueOf(await text(chunks), null));
  return { bytes: await writeArchiveFile(file, chunks, force), leftOut };
}

/** Makes a snapshot of a file. */
export async function importSnapshot<Facts extends { readonly name: string }>(
  transport: SnapshotTransport,
  file: string,
  { name, secrets, replace }: SnapshotImportOptions = {},
): Promise<Facts> {
  const secretsFile = secrets === undefined ? undefined : await readSecretsFile(secrets);
  const query = new URLSearchParams({
    ...(name !== undefined && { name }),
    ...(replace === true && { replace: "1" }),
  });
  const path = `${FOLDER}/file?${query}`;
  const { status, ok, chunks } = await transport("POST", path, await readArchiveFile(file));
  const answer = await text(chunks);
  if (!ok) throw new ErrorReply("POST", path, status, valueOf(answer, null));
  const facts = JSON.parse(answer) as Facts;
  return secretsFile ? { ...facts, ...(await supplySecrets(transport, facts.name, secretsFile)) } : facts;
}

/** Supplies secrets to an imported snapshot; returns the secrets that are still missing. */
async function supplySecrets(
  transport: SnapshotTransport,
  name: string,
  secretsFile: SuppliedSecrets,
): Promise<object> {
  const path = `${CONTROL_PREFIX}v1/secrets?snapshot=${encodeURIComponent(name)}`;
  const { status, ok, chunks } = await transport("PUT", path, oneChunk(JSON.stringify(secretsFile)));
  const answer = await text(chunks);
  if (!ok) {
    const { message } = new ErrorReply("PUT", path, status, valueOf(answer, null));
    throw new Error(`${name} is imported, but its secrets are not complete: ${message}`);
  }
  return JSON.parse(answer) as object;
}

async function* oneChunk(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

/** The way to an emulator that is asked as with `fetch`. */
export function transportOver(
  request: (path: string, init: RequestInit) => Promise<Response>,
): SnapshotTransport {
  return async (method, path, chunks) => {
    const body = chunks && Readable.toWeb(Readable.from(chunks));
    // The standard requires `duplex` for a streamed body.
    const init: unknown = { method, ...(body && { body, duplex: "half" }) };
    const reply = await request(path, init as RequestInit);
    return {
      status: reply.status,
      ok: reply.ok,
      leftOut: reply.headers.get("x-emulator-left-out") ?? "",
      // Only Node's own type declares that a stream is iterable.
      chunks: Readable.fromWeb(reply.body as ReadableStream),
    };
  };
}
