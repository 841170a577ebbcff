import { shown } from "../report/summary.ts";
import type { Exchange } from "./exchange.ts";

const MAX_CHARACTERS = 120;

/** What a target did, in a few words: the value that was looked at, or else the status of its reply. */
export function describeActual(
  difference: { readonly actual?: unknown },
  exchange: Exchange | undefined,
): string {
  if ("actual" in difference)
    return cut(difference.actual === undefined ? "nothing" : shown(difference.actual));
  return exchange ? `status ${exchange.status}` : "nothing was answered";
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
}
