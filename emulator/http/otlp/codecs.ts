import type { Codecs } from "../media.ts";

/** Protobuf is loaded with the first body of its kind. */
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
