import type { Codecs } from "../media.ts";

/** Codecs; the protobuf library is loaded on first use. */
export const CODECS: Codecs = {
  "application/x-protobuf": {
    async read(bytes) {
      const { readSpans } = await import("./protobuf.ts");
      return readSpans(bytes);
    },
    async write(value) {
      const { writeSpansTaken } = await import("./protobuf.ts");
      return writeSpansTaken(value);
    },
  },
};
