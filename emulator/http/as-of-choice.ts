import { type AsOf, asOf } from "../kernel/as-of.ts";
import { Refusal } from "../kernel/refusal.ts";

/** In lower case, as header names reach the gateway. */
export const AS_OF_HEADER = "x-emulator-as-of";
const PARAMETER = "as_of=";

/** The point in the past of its world that a request is about; undefined for the present. */
export function asOfChoice(
  query: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): AsOf | undefined {
  const header = headers[AS_OF_HEADER];
  if (header === undefined && !query.includes(PARAMETER)) return undefined;
  const values = [header ?? [], new URLSearchParams(query).getAll("as_of")].flat();
  const [text, another] = new Set(values.map((each) => each.trim()));
  if (text === undefined) return undefined;
  if (another === undefined) return asOf(text);
  throw new Refusal(
    400,
    "two_instants",
    `X-Emulator-As-Of and as_of name ${text} and ${another}.`,
    "Name one of them.",
  );
}

/** The query without the parameter, which no operation knows. */
export function withoutAsOf(query: string): string {
  return query
    .split("&")
    .filter((pair) => !pair.startsWith(PARAMETER))
    .join("&");
}
