import type { UnshownPath } from "../../contracts/spec/undocumented-paths.ts";
import type { ReplyHeaders } from "../subjects/message.ts";

const NAMES_SHOWN = 20;
const LONGEST = 1000;

/** The warning header: unknown members of the request and undocumented members of the reply. */
export function warning(unknown: readonly string[], beyond: readonly string[]): ReplyHeaders {
  const parts = [
    ...(unknown.length > 0 ? [`unknown fields: ${shown(unknown)}`] : []),
    ...(beyond.length > 0 ? [`answered beyond the specification: ${shown(beyond)}`] : []),
  ];
  return { "x-emulator-warning": parts.join("; ") };
}

/** The warning header of a path that the specification does not show. */
export function unshownWarning({ section, says }: UnshownPath): ReplyHeaders {
  return { "x-emulator-warning": `not emulated: section ${section} ${says}` };
}

/** Header values hold printable ASCII only; names of members can be anything. */
function shown(names: readonly string[]): string {
  return names
    .slice(0, NAMES_SHOWN)
    .join(", ")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, LONGEST);
}
