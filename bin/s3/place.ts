import { UsageError } from "../command.ts";

/** A bucket, and a key or the beginning of keys in it. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

/** Reads `<bucket>/<key>`, also as `s3://<bucket>/<key>`. */
export function readPlace(text: string): Place {
  const [bucket = "", ...key] = text.replace(/^s3:\/\//, "").split("/");
  return { bucket, key: key.join("/") };
}

/** The same, of one object. Throws `UsageError`. */
export function readObjectPlace(text: string): Place {
  const place = readPlace(text);
  if (place.bucket !== "" && place.key !== "") return place;
  throw new UsageError(`"${text}" names no object; give <bucket>/<key>, as \`emulator s3 ls\` prints them`);
}
