import { readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import type { GivenStep } from "../../../scenarios/definition.ts";
import type { Scenario, Step } from "../../../scenarios/document.ts";
import type { ScenarioRun } from "../../../scenarios/run-scenario.ts";
import { packageVersion } from "../../config/package-version.ts";
import { ArchiveFileError } from "../../storage/archive/archive-file.ts";
import { type CapsuleFacts, type CapsuleParts, isSafe } from "./file.ts";
import { replaceSecrets } from "./secrets.ts";

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
  facts: Pick<CapsuleFacts, "command" | "made_by" | "seed" | "notes" | "settings">,
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
  const read = verb === "seed" && seed?.file !== undefined ? [resolve(dirname(place.file), seed.file)] : [];
  const included =
    verb === "include" ? [resolve(dirname(place.file), (given as GivenStep<"include">).include)] : [];
  return [place.file, ...read, ...included, ...steps.flatMap(filesOf)];
}

function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0] ?? "");
  while (paths.some((path) => relative(folder, path).startsWith("..")) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
