import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { readRecording, recordedScenario } from "../../../scenarios/recording.ts";
import { type ControlClient, createControlClient } from "../../client/control-client.ts";
import { ErrorReply } from "../../client/send.ts";
import { sendOverHttp } from "../../client/send-over-http.ts";
import type { Commit } from "../../kernel/commit.ts";
import { type CapsuleFacts, writeCapsule } from "./file.ts";
import { recordingParts } from "./parts.ts";

/** A test or a command whose requests were recorded. */
export interface RecordedRun extends Pick<CapsuleFacts, "command" | "made_by" | "notes"> {
  /** Settings of its emulator that a recording does not contain. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Writes a capsule with the requests that the world at this address has recorded, and returns its gaps. Rejects when there are
 * no requests, or more than a capsule may contain.
 */
export async function writeRecording(
  file: string,
  url: string,
  run: RecordedRun,
): Promise<readonly string[]> {
  const [, origin = url, from = "main"] = /^(.*)\/w\/([^/]+)$/.exec(url) ?? [];
  const emulator = createControlClient(sendOverHttp(origin));
  const recording = await readRecording(url);
  const { seed, start_turn: startTurn } = recording.header;
  const { snapshot, problem } = await saveStart(emulator, origin, { from, at: startTurn });
  try {
    const { text, gaps, warnings } = recordedScenario(recording, snapshot?.now);
    const journal = await (await fetch(`${url}/_emulator/v1/journal?since=${startTurn}`)).text();
    const download = snapshot && (await downloaded(`${origin}/_emulator/v1/snapshots/${snapshot.name}/file`));
    const notes = [...run.notes, ...(problem === undefined ? [] : [problem]), ...warnings];
    const allGaps = [...gaps, ...gapsOfJournal(journal, download?.hasAllSecrets ?? true)];
    const facts = { ...run, seed, notes, gaps: allGaps };
    await writeCapsule(file, recordingParts(text, journal, facts, download?.chunks));
    return allGaps;
  } finally {
    if (snapshot) await emulator.snapshots.remove(snapshot.name).catch(() => undefined);
  }
}

/** What the world did that its recorded requests do not repeat. */
function gapsOfJournal(journal: string, hasAllSecrets: boolean): readonly string[] {
  const lines = journal.split("\n").filter((line) => line !== "");
  const causes = lines.map((line) => (JSON.parse(line) as Pick<Commit, "cause">).cause);
  const writes = causes.filter(({ type, name }) => type === "object_storage" && !READ_OF_S3.test(name));
  const writeNames = [...new Set(writes.map(({ name }) => name))].join(", ");
  const gaps: string[] = [];
  if (writes.length > 0)
    gaps.push(
      `Requests of S3 clients are not recorded, and there were some that may change objects (${writeNames}). Record again without them.`,
    );
  if (causes.some(({ type, name }) => type === "request" && name === "disconnect"))
    gaps.push(
      "A client closed its connection, which cancelled its run, and a replay keeps connections open. Record again without on_disconnect: cancel.",
    );
  if (!hasAllSecrets && causes.some(({ name }) => USE_OF_SECRETS.test(name)))
    gaps.push(
      "Exports used secrets of the world before the recording, and a capsule contains no secrets. Create the destinations and key pairs in the recording.",
    );
  return gaps;
}

const READ_OF_S3 = /^(Get|Head|List)/;
const USE_OF_SECRETS = /^(export|destination)/;

interface SavedStart {
  readonly snapshot?: { readonly name: string; readonly now: string };
  /** Why the snapshot is missing. */
  readonly problem?: string;
}

/** Saves a snapshot of the world at the start. */
async function saveStart(
  emulator: ControlClient,
  origin: string,
  source: { readonly from: string; readonly at: number },
): Promise<SavedStart> {
  let id: string | undefined;
  try {
    ({ id } = await emulator.worlds.create(source));
    const fork = createControlClient(sendOverHttp(`${origin}/w/${id}`));
    // A flowing clock would pass the first request.
    await fork.clock.freeze();
    const name = `${id}-capsule`;
    const { now } = await fork.snapshots.save(name);
    return { snapshot: { name, now } };
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    return { problem: `the world before the recording is not included: ${error.message}` };
  } finally {
    if (id !== undefined) await emulator.worlds.remove(id);
  }
}

/** The file of a snapshot, and whether the world has no secrets that it omits. */
async function downloaded(address: string) {
  const reply = await fetch(address);
  if (!reply.ok || !reply.body) throw new Error(`The snapshot could not be exported: ${await reply.text()}`);
  const omitted = reply.headers.get("x-emulator-left-out") ?? "";
  // Reserves the body at once: Node cancels a body that nobody reads when it collects the reply.
  const chunks: AsyncIterable<Uint8Array> = Readable.fromWeb(reply.body as ReadableStream);
  return { chunks, hasAllSecrets: !/[1-9]/.test(omitted) };
}
