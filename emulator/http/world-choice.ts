import { Refusal } from "../kernel/refusal.ts";

/** The world of requests that name none. */
export const MAIN = "main";

/** In lower case, as header names reach the gateway. */
export const WORLD_HEADER = "x-emulator-world";
const BASE_PATH = /^\/w\/([^/?]*)/;

/** Which world a request is for. */
export interface WorldChoice {
  readonly id: string;
  /** The path prefix that selects it, without a final slash; empty when a header or nothing does. */
  readonly basePath: string;
}

const NO_CHOICE: WorldChoice = { id: MAIN, basePath: "" };

/** A world is named by the header `X-Emulator-World` or by the base path `/w/<world>`. */
export function worldChoice(
  path: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): WorldChoice {
  const header = headers[WORLD_HEADER];
  const headerId = header === undefined ? undefined : oneOf(header);
  const [basePath, encodedId] = path.startsWith("/w/") ? (BASE_PATH.exec(path) ?? []) : [];
  const byPath = encodedId?.includes("%") ? decoded(encodedId) : encodedId;
  if (headerId === undefined)
    return byPath === undefined ? NO_CHOICE : { id: byPath, basePath: basePath ?? "" };
  if (byPath !== undefined && byPath !== headerId)
    throw new Refusal(
      400,
      "two_worlds",
      `The header X-Emulator-World names the world ${headerId}, the path the world ${byPath}.`,
      "Name one of them.",
    );
  return { id: headerId, basePath: basePath ?? "" };
}

/** A malformed escape is not the name of a world either. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** A repeated header arrives as one text separated by commas. */
function oneOf(header: string | readonly string[]): string {
  const names = new Set([header].flat().flatMap((each) => each.split(",").map((name) => name.trim())));
  const [name = "", another] = names;
  if (another === undefined) return name;
  throw new Refusal(
    400,
    "two_worlds",
    `The header X-Emulator-World names ${[...names].join(" and ")}.`,
    "Name one of them.",
  );
}
