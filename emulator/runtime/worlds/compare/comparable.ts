import { ADDRESSES, hideIn, hideWith } from "../../../../contracts/spec/secrets.ts";
import { DESTINATIONS } from "../../../subjects/destinations/records.ts";
import { objects, s3Parts } from "../../../subjects/object-storage/records.ts";
import { EVENTS, hiderOf, LEFT_OUT } from "../../../subjects/secret-paths.ts";

const HIDE = hideWith(LEFT_OUT, ADDRESSES);
/** Each world gives names of its own to the files of bodies, and seals a secret in another way each time. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  [objects.name]: "file",
  [s3Parts.name]: "file",
  [DESTINATIONS.name]: "credentials",
  [EVENTS]: "number",
};

/** How long a receiver took: the same requests take another time in each world. */
const WALL_CLOCK_MS = "wall_ms";

/** A record, or an event, as it is compared and shown: without secrets, and without what is its world's own. */
export function comparable(collection: string, record: unknown): unknown {
  const hide = hiderOf(collection, record) ?? HIDE;
  const maskedRecord = hideIn(record, (at, leaf) =>
    at.at(-1) === WALL_CLOCK_MS ? 0 : hide(at, leaf),
  ) as Readonly<Record<string, unknown>>;
  const { [OWN_FIELDS[collection] ?? ""]: _, ...rest } = maskedRecord;
  return rest;
}
