import type { StoredRecord, WorldState } from "../../kernel/commit.ts";
import type { WorldImage } from "../../kernel/image.ts";
import type { DueEvent } from "../../kernel/queue.ts";
import type { Collection } from "../../kernel/table.ts";
import { jsonOf } from "../../subjects/json-of.ts";
import { EVENTS } from "../../subjects/secret-paths.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { bodiesOf } from "./bodies.ts";
import { damaged } from "./manifest.ts";
import { type PackedEntry, textEntry } from "./pack.ts";
import { restoredRecord, type SecretStripper, type StrippedRecord } from "./secret-stripping.ts";

type StateHeader = Pick<WorldState, "seed" | "turn" | "now" | "clock" | "ordinals">;

/** One line. The frame is first, then records in the order in which they were created, then due events. */
type Line =
  | { readonly frame: StateHeader }
  | (StrippedRecord & { readonly collection: string })
  | { readonly event: StrippedRecord };

const MAX_ENTRY_CHARS = 1024 * 1024;
const NUMBER_DIGITS = 6;

/** The records and the queue of a world as entries of bounded size. */
export function* recordEntries(
  prefix: string,
  image: WorldImage,
  strip: SecretStripper,
): Generator<PackedEntry> {
  let text = "";
  let number = 0;
  const nextName = (): string => `${prefix}${String(++number).padStart(NUMBER_DIGITS, "0")}.ndjson`;
  for (const line of linesOf(image, strip)) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < MAX_ENTRY_CHARS) continue;
    yield textEntry(nextName(), text);
    text = "";
  }
  if (text !== "") yield textEntry(nextName(), text);
}

function* linesOf({ records, queue, ...image }: WorldImage, strip: SecretStripper): Generator<Line> {
  const { seed, turn, now, clock, ordinals } = image;
  yield { frame: { seed, turn, now, clock, ordinals } };
  const collections = records.storedRecords();
  const numbers = new Map(bodiesOf(collections).map(({ file }, number) => [file, String(number)]));
  for (const [collection, items] of Object.entries(collections))
    for (const { record } of items) {
      yield { collection, ...strip(collection, withBodyNumber(record, numbers)) };
    }
  for (const event of queue) yield { event: strip(EVENTS, event) };
}

/** A record names its body by the number in the archive, since names of files differ between data folders. */
function withBodyNumber(record: unknown, numbers: ReadonlyMap<string, string>): unknown {
  const { file } = record as { readonly file?: unknown };
  const number = typeof file === "string" ? numbers.get(file) : undefined;
  return number === undefined ? record : { ...(record as object), file: number };
}

/** Reads a world line by line. */
export type StateReader = ReturnType<typeof createStateReader>;

/** Its functions throw a `Refusal` for unknown or damaged records. */
export function createStateReader(collections: readonly Collection<never>[], own: Secrets) {
  const kinds = new Map(collections.map((kind) => [kind.name, kind]));
  const records: Record<string, StoredRecord[]> = Object.fromEntries(
    collections.map(({ name }) => [name, []]),
  );
  const queue: DueEvent[] = [];
  let frame: StateHeader | undefined;

  function readRecord(collection: string, stripped: StrippedRecord): void {
    const kind = kinds.get(collection);
    if (!kind) throw damaged(`it has records of an unknown collection (${collection})`);
    const record = restoredRecord(own, collection, stripped);
    records[collection]?.push({ key: kind.idOf(record as never), record });
  }

  function readLine(line: Line): void {
    if ("frame" in line) frame = line.frame;
    else if ("event" in line) queue.push(restoredRecord(own, EVENTS, line.event) as DueEvent);
    else readRecord(line.collection, line);
  }

  return {
    read(text: string): void {
      for (const line of text.split("\n")) if (line !== "") readLine(parseLine(line));
    },
    state(): WorldState {
      if (!frame || frame.turn < 1) throw damaged("its world has no first turn");
      return { ...frame, records, queue, inFlight: [] };
    },
  };
}

function parseLine(text: string): Line {
  const line = jsonOf(text) as Line | null | undefined;
  if (typeof line !== "object" || line === null) throw damaged("one of its records is not JSON");
  return line;
}
