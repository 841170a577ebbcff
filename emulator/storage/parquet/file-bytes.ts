import type { ByteWriter } from "hyparquet-writer";

/** Takes a file's bytes, row group by row group, and in the end gives them in one piece. */
export interface FileBytes {
  readonly writer: ByteWriter;
  joined(): Uint8Array<ArrayBuffer>;
}

/**
 * The library's writer doubles its buffer and copies it whenever it is full. Here it is emptied after
 * each row group, so a large file is copied once.
 */
export function createFileBytes(writer: ByteWriter): FileBytes {
  const pieces: Uint8Array[] = [];

  function flush(): void {
    pieces.push(writer.getBytes().slice());
    writer.index = 0;
  }

  return {
    writer: Object.assign(writer, { flush }),
    joined() {
      flush();
      const joined = new Uint8Array(writer.offset);
      let at = 0;
      for (const piece of pieces.splice(0)) {
        joined.set(piece, at);
        at += piece.length;
      }
      return joined;
    },
  };
}
