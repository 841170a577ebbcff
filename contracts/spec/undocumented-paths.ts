import { createRouter, type Route, segmentsBeforeSlash, segmentsOf } from "./path.ts";

/**
 * Paths that the specification does not show: all of them get the status of `platform.unlisted_path` and a body
 * that names the section, never a made-up success. The first row that fits counts, and it is asked before the
 * operations, whose `{…}` could otherwise take a path for their own.
 */
export interface UnshownPath {
  /** Absent means every method. */
  readonly methods?: readonly string[];
  readonly path: string;
  readonly alsoAt?: readonly string[];
  readonly section: string;
  /** Whose way of telling errors it is: §2.3 has one of its own. */
  readonly server: "agent" | "platform";
  /** What the section does say, as a predicate: "names …". */
  readonly says: string;
}

const limited = (path: string, ...methods: string[]): UnshownPath => ({
  ...(methods.length > 0 ? { methods } : {}),
  path,
  ...(path.startsWith("/**") ? {} : { alsoAt: [path.startsWith("/v1/") ? `/api${path}` : `/api/v1${path}`] }),
  section: "8.5",
  server: "platform",
  says: "names only its rate limit",
});

const area = (path: string, what: string, ...methods: string[]): UnshownPath => ({
  ...(methods.length > 0 ? { methods } : {}),
  path,
  section: "1",
  server: "agent",
  says: `names ${what}, but does not show this operation`,
});

/** A path that clients call. An operation with an id in the place of its last word would else refuse the word. */
const unlisted = (path: string): UnshownPath => ({
  path,
  alsoAt: [`/api/v1${path}`],
  section: "4",
  server: "platform",
  says: "shows no such path",
});

export const UNSHOWN_PATHS: readonly UnshownPath[] = [
  limited("/**/v1/metadata/submit"),
  limited("/auth/{part}/**"),
  limited("/v1/beacon/**"),
  limited("/repos/**"),
  limited("/commits/**"),
  limited("/**/charts/**"),
  limited("/generate/**"),
  limited("/**/examples/**"),
  limited("/public/download/**"),
  limited("/**/trigger"),
  unlisted("/feedback/tokens/**"),
  unlisted("/runs/rules/**"),
];

/** Groups of resources that §1 names; asked after the operations, which are parts of some of them. */
export const UNSHOWN_AREAS: readonly UnshownPath[] = [
  area("/assistants/**", "assistants"),
  area("/threads/**", "threads"),
  area("/thread/**", "threads"),
  area("/runs/crons/**", "crons"),
  area("/runs/stream/**", "stateless runs"),
  area("/runs/wait/**", "stateless runs"),
  area("/store/**", "a key-value store"),
  area("/a2a/**", "agent-to-agent endpoints"),
  area("/mcp/**", "tool-protocol endpoints"),
  area("/metrics", "a system endpoint for metrics"),
];

/** Every other path. */
const UNLISTED: UnshownPath = { ...unlisted("/**"), alsoAt: [] };

/** Segments of these paths. A path that matches an operation is one of these only if such a segment is in the place of a parameter. */
export const UNSHOWN_WORDS: ReadonlySet<string> = new Set(
  UNSHOWN_PATHS.flatMap(routesOf).flatMap(({ path }) => segmentsOf(path)),
);

const PATHS = createRouter(() => UNSHOWN_PATHS.flatMap(routesOf));
const AREAS = createRouter(() => UNSHOWN_AREAS.flatMap(routesOf));

/** The row that a request falls under, if the specification names its path without showing its reply. */
export function unshownPath(method: string, path: string): UnshownPath | undefined {
  return PATHS.all(method, segmentsBeforeSlash(path))[0];
}

/** The group of resources that a path belongs to, for a path that no operation and no row of the above has. */
export function unshownArea(path: string): UnshownPath {
  // A slash at the end or two in a row make no other family of a path.
  const segments = segmentsOf(path).filter((segment) => segment !== "");
  return AREAS.all("", segments)[0] ?? UNLISTED;
}

function routesOf(row: UnshownPath): readonly Route<UnshownPath>[] {
  const { methods } = row;
  return [row.path, ...(row.alsoAt ?? [])].map((path) => ({ ...(methods && { methods }), path, row }));
}
