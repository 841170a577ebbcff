import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { record } from "../../../scenarios/recording.ts";
import { createControlClient } from "../../client/control-client.ts";
import { ErrorReply, sendTo } from "../../client/send.ts";
import { BYTES_MAX, type CapsuleFacts, writeCapsule } from "./file.ts";
import { recordingParts } from "./parts.ts";

/** Where a world stood when what is kept in a capsule began. */
export interface Start {
  readonly turn: number;
  readonly now: string;
}

/** What is known of a test or a command beside its world. */
export interface AboutRecorded extends Pick<CapsuleFacts, "command" | "made_by" | "notes"> {
  /** Of its emulator, beyond those that a recording has. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Where the world at this address stands. */
export async function standOf(url: string): Promise<Start> {
  const { turn, now } = await createControlClient(sendTo(url)).status();
  return { turn, now };
}

/**
 * Writes a capsule of what the world at this address has received since its start. Rejects when it has received nothing,
 * or more than a capsule holds.
 */
export async function keepRecorded(
  file: string,
  url: string,
  start: Start,
  about: AboutRecorded,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "capsule-"));
  try {
    await keepIn(folder, file, url, start, about);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function keepIn(
  folder: string,
  file: string,
  url: string,
  start: Start,
  about: AboutRecorded,
): Promise<void> {
  const beginning = await beginningOf(url, start, join(folder, "beginning"));
  const begins = "snapshot" in beginning ? later(start.now, beginning.now) : undefined;
  const { text, warnings } = await record(url, begins);
  const { seed } = await createControlClient(sendTo(url)).status();
  const journal = await (await fetch(`${url}/_emulator/v1/journal?since=${start.turn}`)).text();
  const missing = "why" in beginning ? [`its beginning could not be kept: ${beginning.why}`] : [];
  const facts = { ...about, seed, notes: [...about.notes, ...missing, ...warnings] };
  const snapshot = "snapshot" in beginning ? beginning.snapshot : undefined;
  await writeCapsule(file, recordingParts(text, journal, facts, snapshot));
}

/** Of two instants as replies have them. */
function later(a: string, b: string): string {
  return a > b ? a : b;
}

/** The world as it was then, as a snapshot file: made of a copy of it, which is removed again. */
async function beginningOf(
  url: string,
  { turn }: Start,
  path: string,
): Promise<{ readonly snapshot: string; readonly now: string } | { readonly why: string }> {
  const [, origin = url, from = "main"] = /^(.*)\/w\/([^/]+)$/.exec(url) ?? [];
  const emulator = createControlClient(sendTo(origin));
  try {
    const { id } = await emulator.worlds.create({ from, at: turn });
    const copy = createControlClient(sendTo(`${origin}/w/${id}`));
    const name = `${id}-capsule`;
    try {
      // Its time would flow on, past the first request.
      await copy.clock.freeze();
      const { now } = await copy.snapshots.save(name);
      await write(path, `${origin}/_emulator/v1/snapshots/${name}/file`);
      return { snapshot: path, now };
    } finally {
      await emulator.snapshots.remove(name).catch(() => undefined);
      await emulator.worlds.remove(id);
    }
  } catch (error) {
    if (error instanceof ErrorReply) return { why: error.message };
    throw error;
  }
}

/** Writes a file that is read no further than a capsule could hold it. */
async function write(path: string, address: string): Promise<void> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of (await fetch(address)).body ?? []) {
      yield piece;
      bytes += piece.length;
      if (bytes > BYTES_MAX) return;
    }
  }
  await pipeline(pieces, createWriteStream(path, { mode: 0o600 }));
}
