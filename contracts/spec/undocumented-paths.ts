import { createRouter, type Route, segmentsBeforeSlash, segmentsOf } from "./path.ts";

/**
 * A path that the specification names without showing its replies: 501 with the section, never a made-up
 * success. The first row that fits counts, and it is asked before the operations, whose `{…}` could
 * otherwise take a path for their own.
 */
export interface UnshownPath {
  /** Absent means every method. */
  readonly methods?: readonly string[];
  readonly path: string;
  readonly alsoAt?: readonly string[];
  readonly section: string;
  /** Whose way of telling errors it is: §2.3 has one of its own. */
  readonly server: "agent" | "platform";
  /** What the specification does say. */
  readonly description: string;
}

const limited = (path: string, ...methods: string[]): UnshownPath => ({
  ...(methods.length > 0 ? { methods } : {}),
  path,
  ...(path.startsWith("/**") ? {} : { alsoAt: [`/api/v1${path}`] }),
  section: "8.5",
  server: "platform",
  description: "Only its rate limit is shown.",
});

const area = (path: string, description: string, ...methods: string[]): UnshownPath => ({
  ...(methods.length > 0 ? { methods } : {}),
  path,
  section: "1",
  server: "agent",
  description,
});

const THREADS_DESCRIPTION = "Threads exist; their creation is shown in use (§4.8).";

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
  // Else the last word of it would be taken for the identifier of a thread.
  area("/threads/prune", THREADS_DESCRIPTION, "POST"),
];

/** Groups of resources that §1 names; asked after the operations, which are parts of some of them. */
export const UNSHOWN_AREAS: readonly UnshownPath[] = [
  area("/assistants/**", "Assistants exist; a search for them is shown in use (§4.8)."),
  area("/threads/**", THREADS_DESCRIPTION),
  area("/store/**", "A key-value store exists."),
  area("/a2a/**", "Agent-to-agent endpoints exist."),
  area("/mcp/**", "Tool-protocol endpoints exist."),
  area("/metrics", "A system endpoint for metrics exists."),
];

/** Segments that unshown paths name: what fits an operation is unshown only where one of them stands for a parameter. */
export const UNSHOWN_WORDS: ReadonlySet<string> = new Set(
  UNSHOWN_PATHS.flatMap(routesOf).flatMap(({ path }) => segmentsOf(path)),
);

const PATHS = createRouter(UNSHOWN_PATHS.flatMap(routesOf));
const AREAS = createRouter(UNSHOWN_AREAS.flatMap(routesOf));

/** The row that a request falls under, if the specification names its path without showing its reply. */
export function unshownPath(method: string, path: string): UnshownPath | undefined {
  return PATHS.all(method, segmentsBeforeSlash(path))[0];
}

/** The group of resources that a path belongs to, if §1 names it without showing its operations. */
export function unshownArea(path: string): UnshownPath | undefined {
  return AREAS.all("", segmentsBeforeSlash(path))[0];
}

function routesOf(row: UnshownPath): readonly Route<UnshownPath>[] {
  const { methods } = row;
  return [row.path, ...(row.alsoAt ?? [])].map((path) => ({ ...(methods && { methods }), path, row }));
}
