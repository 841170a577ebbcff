import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { packEntries } from "../../../../emulator/storage/archive/pack.ts";

const ENTRIES = 6;
const ENTRY_BYTES = 60_000;
const PIECE_BYTES = 20_000;

function entries(pieceTurns: number) {
  return Array.from({ length: ENTRIES }, (_, index) => ({
    name: `${index}`,
    size: ENTRY_BYTES,
    // Like a file: the reader may stop before a chunk is ready.
    async *content() {
      for (let done = 0; done < ENTRY_BYTES; done += PIECE_BYTES) {
        for (let turns = 0; turns < pieceTurns; turns += 1) await nextTurn();
        yield randomBytes(PIECE_BYTES);
      }
    },
  }));
}

async function piecesRead(pieceTurns: number, expected = Number.POSITIVE_INFINITY): Promise<number> {
  let read = 0;
  for await (const _ of packEntries(entries(pieceTurns), new Date(0))) {
    read += 1;
    if (read === expected) break;
  }
  return read;
}

it.each([0, 1, 20])("a reader that stops early does not wait (%i turns per chunk)", async (turns) => {
  const all = await piecesRead(turns);
  expect(all).toBeGreaterThan(ENTRIES);
  for (let expected = 1; expected < all; expected += 1)
    expect(await piecesRead(turns, expected)).toBe(expected);
});
