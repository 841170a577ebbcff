import * as fs from "node:fs";
import { promisify } from "node:util";
import { freeMemory } from "./free-memory.ts";

const writev = promisify(fs.writev);

type Pieces = readonly Uint8Array[];

/** The file of a body on its way in; it is made for the first pieces. */
export interface BodyFileWriter {
  readonly isBegun: boolean;
  writeNow(pieces: Pieces): void;
  /** Has a thread write; resolves when that has written what it was given before. */
  writeInThread(pieces: Pieces): Promise<void>;
  /** Rejects when a thread could not write. */
  settled(): Promise<void>;
  close(): void;
  /** Writes no more, and closes the file when no thread uses it. */
  giveUp(): void;
}

/** With `ownsPieces` their memory goes when they are written. */
export function createBodyFile(openNew: () => number, ownsPieces: boolean): BodyFileWriter {
  let opened: number | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isGivenUp = false;

  function free(pieces: Pieces): void {
    if (ownsPieces) for (const piece of pieces) freeMemory(piece);
  }

  async function writeAll(fd: number, pieces: Pieces): Promise<void> {
    for (let rest = pieces; rest.length > 0 && !isGivenUp; )
      rest = behind(rest, (await writev(fd, rest)).bytesWritten);
    free(pieces);
  }

  function close(): void {
    const fd = opened;
    opened = undefined;
    if (fd !== undefined) fs.closeSync(fd);
  }

  return {
    get isBegun() {
      return opened !== undefined;
    },
    writeNow(pieces) {
      opened ??= openNew();
      for (let rest = pieces; rest.length > 0; ) rest = behind(rest, fs.writevSync(opened, rest));
      free(pieces);
    },
    async writeInThread(pieces) {
      opened ??= openNew();
      const [before, fd] = [writing, opened];
      writing = before.then(() => writeAll(fd, pieces));
      // Whoever writes next, or closes, learns of a failure; the next pieces come while these are written.
      writing.catch(() => undefined);
      await before;
    },
    settled: () => writing,
    close,
    giveUp() {
      isGivenUp = true;
      // Not before the last write is over: the number could be another file's by then.
      writing.catch(() => undefined).then(close);
    },
  };
}

/** What is left of pieces behind so many bytes of them. */
function behind(pieces: Pieces, bytes: number): Pieces {
  let left = bytes;
  const at = pieces.findIndex(({ length }) => {
    if (left < length) return true;
    left -= length;
    return false;
  });
  const [first, ...rest] = at < 0 ? [] : pieces.slice(at);
  return first ? [first.subarray(left), ...rest] : [];
}
