import { record } from "../../../scenarios/recording.ts";
import { type ControlClient, createControlClient } from "../../client/control-client.ts";
import { ErrorReply, sendTo } from "../../client/send.ts";
import { type CapsuleFacts, writeCapsule } from "./file.ts";
import { recordingParts } from "./parts.ts";

/** The position of a world when its recording starts. */
export interface RecordingStart {
  readonly turn: number;
  readonly now: string;
}

/** A test or a command whose requests were recorded. */
export interface RecordedRun extends Pick<CapsuleFacts, "command" | "made_by" | "notes"> {
  /** Settings of its emulator that a recording does not contain. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The current position of the world at this address. */
export async function startRecording(url: string): Promise<RecordingStart> {
  const { turn, now } = await createControlClient(sendTo(url)).status();
  return { turn, now };
}

/**
 * Writes a capsule with the requests that the world at this address has received since the start. Rejects when it has received none, or
 * more than a capsule may contain.
 */
export async function writeRecording(
  file: string,
  url: string,
  start: RecordingStart,
  run: RecordedRun,
): Promise<void> {
  const [, origin = url, from = "main"] = /^(.*)\/w\/([^/]+)$/.exec(url) ?? [];
  const emulator = createControlClient(sendTo(origin));
  const { snapshot, notes } = await saveStart(emulator, origin, { from, at: start.turn });
  try {
    const { text, warnings } = await record(url, snapshot && latest(snapshot.now, start.now));
    const { seed } = await createControlClient(sendTo(url)).status();
    const journal = await (await fetch(`${url}/_emulator/v1/journal?since=${start.turn}`)).text();
    const facts = { ...run, seed, notes: [...run.notes, ...notes, ...warnings] };
    const chunks = snapshot && download(`${origin}/_emulator/v1/snapshots/${snapshot.name}/file`);
    await writeCapsule(file, recordingParts(text, journal, facts, chunks));
  } finally {
    if (snapshot) await emulator.snapshots.remove(snapshot.name).catch(() => undefined);
  }
}

/** The later of two times as replies have them. */
function latest(a: string, b: string): string {
  return a > b ? a : b;
}

interface SavedStart {
  readonly snapshot?: { readonly name: string; readonly now: string };
  readonly notes: readonly string[];
}

/** Saves a snapshot of the world at the start; a note says why it is missing. */
async function saveStart(
  emulator: ControlClient,
  origin: string,
  source: { readonly from: string; readonly at: number },
): Promise<SavedStart> {
  let id: string | undefined;
  try {
    ({ id } = await emulator.worlds.create(source));
    const fork = createControlClient(sendTo(`${origin}/w/${id}`));
    // A flowing clock would pass the first request.
    await fork.clock.freeze();
    const name = `${id}-capsule`;
    const { now } = await fork.snapshots.save(name);
    return { snapshot: { name, now }, notes: [] };
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    return { notes: [`the world before the recording is not included: ${error.message}`] };
  } finally {
    if (id !== undefined) await emulator.worlds.remove(id);
  }
}

async function* download(address: string): AsyncGenerator<Uint8Array> {
  const reply = await fetch(address);
  if (!reply.ok || !reply.body) throw new Error(`The snapshot could not be exported: ${await reply.text()}`);
  yield* reply.body;
}
