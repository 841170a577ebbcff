import type { Operation } from "../../contracts/spec/operation.ts";
import { formatHttpDate, formatInstant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { NO_HEADERS, type ReplyHeaders } from "../subjects/message.ts";
import type { World } from "../subjects/turn.ts";

/** Throws a `Refusal` (410) for an operation that has been removed (query.legacy_end). */
export function refuseRemoved({ legacy, method, path }: Operation, { now, ports }: World): void {
  const { legacyEnd } = ports.settings;
  if (!legacy || legacyEnd === null || now < legacyEnd) return;
  throw new Refusal(
    410,
    "removed",
    `${method} ${path} was removed at ${formatInstant(legacyEnd)} (setting legacy_end).`,
    `Use ${legacy.replacement}.`,
  );
}

/** Headers that announce the removal, until then. */
export function deprecationHeaders(operation: Operation | undefined, { now, ports }: World): ReplyHeaders {
  const { legacyEnd } = ports.settings;
  if (!operation?.legacy || legacyEnd === null || now >= legacyEnd) return NO_HEADERS;
  return { deprecation: "true", sunset: formatHttpDate(legacyEnd) };
}
