import type { UnshownPath } from "../../contracts/spec/undocumented-paths.ts";
import { NO_HEADERS, type ReplyHeaders } from "../subjects/message.ts";
import type { Undocumented } from "./undocumented-members.ts";

const MAX_NAMES = 20;
const MAX_LENGTH = 1000;

/** The warning header: members of the request without effect, and what goes beyond the specification if that is to be said. */
export function warning(ignored: readonly string[], beyond?: Undocumented): ReplyHeaders {
  if (ignored.length === 0 && !beyond) return NO_HEADERS;
  const parts = [
    ["ignored fields", ignored],
    ["sent beyond the specification", beyond?.request ?? []],
    ["answered beyond the specification", beyond?.reply ?? []],
  ] as const;
  const warnings = parts.filter(([, names]) => names.length > 0);
  if (warnings.length === 0) return NO_HEADERS;
  return {
    "x-emulator-warning": warnings.map(([label, names]) => `${label}: ${headerText(names)}`).join("; "),
  };
}

/** The warning header of a path that the specification does not show. */
export function unshownWarning({ section, says }: UnshownPath): ReplyHeaders {
  return { "x-emulator-warning": `not emulated: section ${section} ${says}` };
}

/** Header values hold printable ASCII only; names of members can be anything. */
function headerText(names: readonly string[]): string {
  return names
    .slice(0, MAX_NAMES)
    .join(", ")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, MAX_LENGTH);
}
