import { type Call, headerOf, objectOf, type Reply } from "../call.ts";
import { countArgument } from "../integers.ts";
import { checksumElements, shownStorageClass } from "../object-headers.ts";
import { refuseArgument } from "../refused.ts";
import { writeXml, type XmlElements } from "../xml.ts";
import { MAX_PAGE } from "./listings.ts";

const NAMES = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"] as const;

type Name = (typeof NAMES)[number];

/** `GetObjectAttributes`: the attributes that the header names. */
export function getObjectAttributes(call: Call): Reply {
  const requestedNames = namesIn(headerOf(call, "x-amz-object-attributes"));
  const object = objectOf(call);
  const { etag, size, checksums, checksum_type, parts, last_modified } = object;
  const values: Record<Name, XmlElements[string]> = {
    ETag: etag,
    Checksum:
      Object.keys(checksums).length > 0
        ? { ...checksumElements(checksums), ChecksumType: checksum_type }
        : undefined,
    ObjectParts: parts && partsOf(call, parts),
    StorageClass: shownStorageClass(object),
    ObjectSize: size,
  };
  const content = Object.fromEntries(
    NAMES.map((name) => [name, requestedNames.has(name) ? values[name] : undefined]),
  );
  return {
    status: 200,
    headers: { "last-modified": new Date(last_modified).toUTCString() },
    xml: writeXml("GetObjectAttributesResponse", content),
  };
}

function namesIn(header: string | undefined): ReadonlySet<string> {
  const names = (header ?? "").split(",").map((name) => name.trim());
  const unknownName = names.find((name) => !NAMES.some((attribute) => attribute === name));
  if (unknownName === undefined) return new Set(names);
  throw refuseArgument("x-amz-object-attributes", unknownName, "Invalid attribute name specified.");
}

/** The number of parts. Like the real service, lists the parts only if they have checksums. */
function partsOf(call: Call, parts: NonNullable<ReturnType<typeof objectOf>["parts"]>): XmlElements {
  const countIn = (name: string, otherwise: number) => countArgument(name, headerOf(call, name), otherwise);
  const max = Math.min(countIn("x-amz-max-parts", MAX_PAGE), MAX_PAGE);
  const marker = countIn("x-amz-part-number-marker", 0);
  const page = parts.some(({ checksums }) => Object.keys(checksums).length > 0)
    ? parts.slice(marker, marker + max)
    : [];
  const next = Math.min(marker + max, parts.length);
  return {
    PartsCount: parts.length,
    PartNumberMarker: marker,
    NextPartNumberMarker: next,
    MaxParts: max,
    IsTruncated: next < parts.length,
    Part: page.map(({ size, checksums }, index) => ({
      PartNumber: marker + index + 1,
      Size: size,
      ...checksumElements(checksums),
    })),
  };
}
