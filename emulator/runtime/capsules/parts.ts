import { readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { parseDocument } from "yaml";
import { hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import type { GivenStep } from "../../../scenarios/definition.ts";
import type { Scenario, Step } from "../../../scenarios/document.ts";
import type { ScenarioRun } from "../../../scenarios/run-scenario.ts";
import { DEFAULT_API_KEY } from "../../client/values.ts";
import { packageVersion } from "../../config/package-version.ts";
import { jsonOf } from "../../subjects/json-of.ts";
import { ArchiveFileError } from "../snapshots/archive-file.ts";
import { type CapsuleFacts, type CapsuleParts, isSafe } from "./file.ts";

type Failure = NonNullable<CapsuleFacts["failure"]>;

/** A capsule of a failed scenario: its files, the files that it includes and reads, and its result. */
export function scenarioParts(scenario: Scenario, run: ScenarioRun, command: string): CapsuleParts {
  const paths = [...new Set([scenario.file, ...scenario.steps.flatMap(filesOf)])];
  const root = commonFolder(paths);
  const files = new Map(
    paths.map((path) => [relative(root, path).split(sep).join("/"), readFileSync(path, "utf8")] as const),
  );
  const unsafe = [...files.keys()].find((name) => !isSafe(name));
  if (unsafe !== undefined)
    throw new ArchiveFileError(
      `The file name ${unsafe} has characters that a capsule does not allow. Use letters, digits and "_", ".", "@", "+", "-".`,
    );
  const { label = "", differences = [] } = run.failure ?? {};
  return partsOf(files, run.journal, {
    made_by: "replay",
    command,
    scenario: relative(root, scenario.file).split(sep).join("/"),
    seed: run.seed,
    failure: { label, differences },
    notes: [],
    settings: {},
  });
}

/** A capsule of a failed command or test: the requests that its world received, as a scenario. */
export function recordingParts(
  text: string,
  journal: string,
  facts: Pick<CapsuleFacts, "command" | "made_by" | "seed" | "notes" | "gaps" | "settings">,
  snapshot: CapsuleParts["snapshot"],
): CapsuleParts {
  const scenario = "recorded.scenario.yaml";
  const parts = partsOf(new Map([[scenario, text]]), journal, { ...facts, scenario, failure: null });
  return { ...parts, snapshot };
}

function partsOf(
  files: ReadonlyMap<string, string>,
  journal: string,
  facts: Omit<CapsuleFacts, "version" | "node" | "left_out">,
): CapsuleParts {
  const originalDifferences = JSON.stringify(facts.failure?.differences ?? []);
  const settingsText = JSON.stringify(facts.settings);
  const { texts, count } = replaceSecrets([
    ...files.values(),
    journal,
    settingsText,
    facts.command,
    originalDifferences,
  ]);
  const [settings = "{}", command = "", differences = "[]"] = texts.slice(-3);
  const failure: Failure | null = facts.failure && {
    ...facts.failure,
    differences: JSON.parse(differences) as string[],
  };
  return {
    files: new Map([...files.keys()].map((name, at) => [name, texts[at] ?? ""])),
    journal: texts[files.size] ?? "",
    facts: {
      ...facts,
      command,
      failure,
      settings: JSON.parse(settings),
      version: packageVersion(),
      node: process.version,
      left_out: count,
    },
  };
}

/** The files of a step: the file that contains it, and the files that it reads. */
function filesOf({ given, place, verb, steps }: Step): readonly string[] {
  const { seed } = given as Partial<GivenStep<"seed">>;
  const seedFiles =
    verb === "seed" && seed?.file !== undefined ? [resolve(dirname(place.file), seed.file)] : [];
  const included =
    verb === "include" ? [resolve(dirname(place.file), (given as GivenStep<"include">).include)] : [];
  return [place.file, ...seedFiles, ...included, ...steps.flatMap(filesOf)];
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? "");
  while (paths.some((path) => relative(folder, path).startsWith("..")) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}

const MARK = "\u0000";
const hide = hideWith(MARK);
/** Shorter texts occur in too many places. */
const MIN_SECRET_LENGTH = 4;
/** Public values of every new world. */
const PUBLIC_VALUES = new Set([DEFAULT_API_KEY, "emulator", "emulator-secret"]);

/** Replaces the secrets in texts; the same secret has the same substitute everywhere. */
function replaceSecrets(texts: readonly string[]): {
  readonly texts: readonly string[];
  readonly count: number;
} {
  const substitutes = new Map<string, string>();
  for (const text of texts)
    for (const [secret, rest] of secretsIn(text)) addSubstitute(substitutes, secret, rest);
  const longestFirst = [...substitutes].sort(([one], [other]) => other.length - one.length);
  return {
    count: longestFirst.length,
    texts: texts.map((text) =>
      longestFirst.reduce((result, [secret, substitute]) => result.replaceAll(secret, substitute), text),
    ),
  };
}

function addSubstitute(substitutes: Map<string, string>, secret: string, rest: string): void {
  if (substitutes.has(secret)) return;
  substitutes.set(secret, rest.replaceAll(MARK, `left-out-${substitutes.size + 1}`));
}

/** Texts that contain a secret, each with the same text in which a mark replaces the secret. References and matchers are not secrets. */
function secretsIn(text: string): readonly (readonly [string, string])[] {
  const secrets: [string, string][] = [];
  for (const value of valuesOf(text))
    hideIn(value, (at, leaf) => {
      const masked = hide(at, leaf);
      const mayBeSecret =
        typeof leaf === "string" && leaf.length >= MIN_SECRET_LENGTH && !leaf.startsWith("$");
      if (masked !== leaf && mayBeSecret && !PUBLIC_VALUES.has(leaf)) secrets.push([leaf, String(masked)]);
      return leaf;
    });
  return secrets;
}

/** The values of a YAML text, or of a JSON text with one value in each line. */
function valuesOf(text: string): readonly unknown[] {
  if (!text.trimStart().startsWith("{"))
    return [parseDocument(text, { prettyErrors: false }).toJS() as unknown];
  return text
    .split("\n")
    .map((line) => jsonOf(line))
    .filter((value) => value !== undefined);
}
