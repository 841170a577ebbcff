import { existsSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { parseSummed } from "../checksum.ts";
import type { NamedRows, NamedSegment, Piece } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { microsecondsOfDay } from "../rows/instants.ts";
import { type ParsedLine, placedRow } from "../rows/lines.ts";
import { loadPiece } from "../rows/pieces.ts";
import { readSidecar } from "../rows/plan.ts";
import { createSegment, DATA, INDEX } from "../rows/segment.ts";
import { packRecords, RECORD_BYTES, type SidecarRecord, traceWord, viewSidecar } from "../rows/sidecar.ts";
import { type DamagedLine, damagedLines } from "../rows/verify.ts";
import { damaged, tooShort } from "../store-error.ts";
import type { Findings } from "./findings.ts";
import { tried } from "./heads.ts";

const LINE_FEED = 0x0a;
const IDS_SHOWN = 5;
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** A piece that is looked at, and where in its segment its data begins. */
interface FoundPiece {
  readonly pool: Pool;
  readonly piece: Piece;
  readonly firstByte: number;
  readonly segment: NamedSegment;
  readonly findings: Findings;
  readonly mayChange: boolean;
}

/** Reads all rows through that worlds name; with `mayChange`, makes sidecars anew and takes lost rows out of them. */
export async function examineRows(
  pool: Pool,
  all: readonly NamedRows[],
  findings: Findings,
  mayChange: boolean,
): Promise<void> {
  const seen = new Set<string>();
  for (const { next, segments } of all)
    for (const segment of segments) {
      const loaded = createSegment(0, segment);
      for (const piece of segment.pieces) {
        const found = { pool, piece, firstByte: loaded.dataBytes, segment, findings, mayChange };
        // The longest name of a file has all of it.
        const key = `${piece.file} ${piece.records}`;
        if (!seen.has(key)) await examinePiece(found);
        seen.add(key);
        if (!tried(findings, () => loadPiece(pool, loaded, piece, next) ?? true)) break;
      }
    }
}

async function examinePiece(found: FoundPiece): Promise<void> {
  const { pool, piece, firstByte, findings, mayChange } = found;
  const path = pool.path(piece.file);
  const located = { ...piece, path, firstByte };
  const isIndexed = tried(findings, () => {
    if (sizeOf(path + INDEX) < piece.records * RECORD_BYTES)
      throw tooShort(path + INDEX, piece.records * RECORD_BYTES);
    return readSidecar(located);
  });
  if (sizeOf(path + DATA) < piece.bytes) findings.problem(tooShort(path + DATA, piece.bytes));
  if (!isIndexed && !mayChange) return;
  if (!isIndexed) rebuildSidecar(found);
  if (sizeOf(path + DATA) < piece.bytes && mayChange) lengthen(path + DATA, piece.bytes);
  if (!existsSync(path + DATA)) return;
  const lines: DamagedLine[] = [];
  for await (const line of damagedLines(located)) lines.push(line);
  const [first] = lines;
  if (!first) return;
  findings.problem(damaged(path + DATA, `byte ${first.byte}`));
  findings.lost(lostRows(found.segment, lines));
  if (mayChange) dropRecords(found, lines);
}

function lostRows({ sessionId, day }: NamedSegment, lines: readonly DamagedLine[]): string {
  const ids = [...new Set(lines.map(({ id }) => id))];
  const more = ids.length > IDS_SHOWN ? ` and ${ids.length - IDS_SHOWN} more` : "";
  return `rows of project ${sessionId} that began on ${day}: ${ids.slice(0, IDS_SHOWN).join(", ")}${more}`;
}

/** Nothing is read of what is put there: no record leads to it any more. */
function lengthen(path: string, bytes: number): void {
  if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600 });
  truncateSync(path, bytes);
}

/** Makes the sidecar from the rows, each of which says what its record says. */
function rebuildSidecar(found: FoundPiece): void {
  const { pool, piece, firstByte, findings, segment } = found;
  const path = pool.path(piece.file);
  const data = existsSync(path + DATA) ? readFileSync(path + DATA) : Buffer.alloc(0);
  const records: SidecarRecord[] = [];
  for (let start = 0; start < data.length; ) {
    const stop = data.indexOf(LINE_FEED, start);
    if (stop < 0) break;
    records.push(recordOf(data, start, stop, firstByte) ?? lostRecord(records, firstByte + stop + 1));
    start = stop + 1;
  }
  const missing = Math.max(0, piece.records - records.length);
  for (let n = 0; n < missing; n += 1) records.push(lostRecord(records, firstByte + piece.bytes));
  const lost = records.filter(({ id }) => id === NO_ID).length;
  if (lost > 0) findings.lost(`${lost} rows of project ${segment.sessionId} that began on ${segment.day}`);
  replaceSidecar(found, packRecords(records));
  findings.rebuilt(path + INDEX);
}

interface LeftLine {
  readonly left: string;
  readonly row: number;
  readonly before: number;
}

function recordOf(data: Buffer, start: number, stop: number, firstByte: number): SidecarRecord | undefined {
  const line = parseSummed(data, start, stop) as ParsedLine | LeftLine | undefined;
  if (!line) return undefined;
  if ("left" in line) {
    const { left: id, row: sequence, before: previous } = line;
    return { id, start: 0, offset: firstByte + stop + 1, length: 0, previous, sequence, trace: 0 };
  }
  const { row, previous, sequence } = placedRow(line);
  return {
    id: row.id,
    start: microsecondsOfDay(row.start_time),
    offset: firstByte + start,
    length: stop + 1 - start,
    previous,
    sequence,
    trace: traceWord(row.trace_id),
  };
}

/** Stands where a record was: those behind it keep their positions. */
function lostRecord(before: readonly SidecarRecord[], end: number): SidecarRecord {
  const sequence = before.at(-1)?.sequence ?? 0;
  return { id: NO_ID, start: 0, offset: end, length: 0, previous: -1, sequence, trace: 0 };
}

/** The rows of these records are there no more, their earlier versions included. */
function dropRecords(found: FoundPiece, lines: readonly DamagedLine[]): void {
  const bytes = readFileSync(found.pool.path(found.piece.file) + INDEX);
  const view = viewSidecar(bytes);
  for (const { position: at } of lines) {
    const [id, previous, sequence] = [view.id(at), view.previous(at), view.sequence(at)];
    const offset = view.offset(at) + view.length(at);
    const lost = packRecords([{ id, start: 0, offset, length: 0, previous, sequence, trace: 0 }]);
    lost.copy(bytes, at * RECORD_BYTES);
  }
  replaceSidecar(found, bytes);
}

function replaceSidecar({ pool, piece, findings }: FoundPiece, bytes: Buffer): void {
  const path = pool.path(piece.file) + INDEX;
  writeFileSync(`${path}.new`, bytes, { mode: 0o600 });
  findings.putAside(path);
  renameSync(`${path}.new`, path);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
