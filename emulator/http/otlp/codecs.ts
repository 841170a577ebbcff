import type { Codecs } from "../media.ts";
import { readSpans, writeSpansReply } from "./protobuf.ts";

/** The codecs of bodies that are not JSON. */
export const CODECS: Codecs = {
  "application/x-protobuf": { read: readSpans, write: writeSpansReply },
};
