import type { ByteWriter } from "hyparquet-writer";

/** Collects the bytes of a file, one row group at a time, and joins them at the end. */
export interface FileBytes {
  readonly writer: ByteWriter;
  joined(): Uint8Array<ArrayBuffer>;
}

/**
 * The library's writer doubles and copies its buffer whenever that is full. Here the buffer is emptied after
 * each row group, so a large file is copied once.
 */
export function createFileBytes(writer: ByteWriter): FileBytes {
  const chunks: Uint8Array[] = [];

  function flush(): void {
    chunks.push(writer.getBytes().slice());
    writer.index = 0;
  }

  return {
    writer: Object.assign(writer, { flush }),
    joined() {
      flush();
      const joined = new Uint8Array(writer.offset);
      let at = 0;
      for (const chunk of chunks.splice(0)) {
        joined.set(chunk, at);
        at += chunk.length;
      }
      return joined;
    },
  };
}
