import { dirname, relative, resolve } from "node:path";
import { nearest } from "../emulator/client/values.ts";
import type { Keys } from "../emulator/validation/misfits.ts";
import { MAX_INCLUDE_DEPTH, MAX_INCLUDED_FILES } from "./bounds.ts";
import { type GivenStep, SECTION_NAMES, VERBS, type Verb } from "./definition.ts";
import { expectationProblems, momentProblems } from "./expectations.ts";
import {
  type FileLocation,
  problemLine,
  readSource,
  refuse,
  ScenarioProblem,
  type Source,
  shown,
} from "./source.ts";

export { type FileLocation as Place, ScenarioProblem } from "./source.ts";

/** A checked step with its place in the file. */
export interface Step {
  readonly verb: Verb;
  readonly given: GivenStep;
  /** For example `when[2]`. */
  readonly label: string;
  readonly place: FileLocation;
  /** Steps of a repetition or an included file. */
  readonly steps: readonly Step[];
}

/** A checked scenario with its includes resolved. */
export interface Scenario {
  /** The file's name without `.scenario.yaml`. */
  readonly name: string;
  readonly file: string;
  readonly sentence: string;
  readonly seed: number | undefined;
  readonly now: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  /** True if it uses what all worlds of an emulator share, such as snapshots. */
  readonly isAlone: boolean;
}

/** Suffix of scenario files; other files in a folder are ignored. */
export const SCENARIO_NAME = /\.scenario\.ya?ml$/;

/**
 * Reads a scenario with its includes. Throws `ScenarioProblem` with every problem of a file. With a `folder`, files
 * outside of it are refused.
 */
export function readScenario(file: string, folder?: string): Scenario {
  return scenarioOf(readSource(file), folder);
}

/** The scenario of a parsed file. Throws `ScenarioProblem` with every problem of it. */
export function scenarioOf(source: Source, folder?: string): Scenario {
  const { file } = source;
  const header = source.value as Readonly<Record<string, unknown>>;
  refuse(source, "scenario", [], header);
  const includes: Includes = { chain: [file], count: { files: 0 }, folder };
  const steps = SECTION_NAMES.flatMap((section) => stepsOf(source, [section], section, includes));
  if (steps.length === 0) throw new ScenarioProblem(`${shown(file)}:1: no steps; add given, when or then`);
  const settings = (header.settings ?? {}) as Scenario["settings"];
  const variables = (header.variables ?? {}) as Scenario["variables"];
  return {
    name: (file.split(/[\\/]/).at(-1) ?? file).replace(SCENARIO_NAME, ""),
    file,
    sentence: String(header.scenario),
    seed: header.seed as number | undefined,
    now: header.now as string | undefined,
    settings,
    variables,
    steps,
    isAlone:
      OF_THE_FIRST.test(JSON.stringify(settings)) || SHARED.test(JSON.stringify(steps.flatMap(wordsOf))),
  };
}

/** Worlds and snapshots are named across the whole emulator. */
const SHARED =
  /"(?:request|control)":"[A-Z]+ +(?:\/_emulator\/v1)?\/(?:worlds|snapshots|w)\b|"x-emulator-world":/i;
/** Seeding is in the journal of a world only if no earlier world had the same seed data. */
const OF_THE_FIRST = /"(?:seed_data|worlds)":/;

function wordsOf({ given: input, steps }: Step): readonly unknown[] {
  return [input, ...steps.flatMap(wordsOf)];
}

/** The files on the way to a step, how many the scenario has included in all, and the folder that contains them. */
interface Includes {
  readonly chain: readonly string[];
  readonly count: { files: number };
  readonly folder: string | undefined;
}

function stepsOf(source: Source, path: Keys, label: string, includes: Includes): Step[] {
  const list = path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown>)?.[key],
    source.value,
  );
  if (list === undefined) return [];
  const problems: string[] = [];
  const steps = (list as readonly unknown[]).flatMap((input, index) => {
    try {
      return [stepOf(source, [...path, index], `${label}[${index}]`, input, includes)];
    } catch (error) {
      if (!(error instanceof ScenarioProblem)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  if (problems.length > 0) throw new ScenarioProblem(problems.join("\n"));
  return steps;
}

function stepOf(source: Source, path: Keys, label: string, input: unknown, includes: Includes): Step {
  const place = { file: source.file, line: source.lineOf(path) };
  const verb = verbOf(place, label, input);
  refuse(source, verb, path, input);
  const step = input as GivenStep;
  refuseExpectations(source, verb, path, step);
  if (verb === "repeat")
    return { verb, given: step, label, place, steps: stepsOf(source, [...path, "steps"], label, includes) };
  if (verb === "include")
    return { verb, given: step, label, place, steps: stepsOfInclude(place, label, step, includes) };
  const { file } = (step as Partial<GivenStep<"seed">>).seed ?? {};
  if (file !== undefined) refuseOutside(place, label, file, includes);
  return { verb, given: step, label, place, steps: [] };
}

/** Throws a `ScenarioProblem` if a step reads a file outside of the folder; a variable could name any file. */
function refuseOutside(place: FileLocation, label: string, file: string, { folder }: Includes): void {
  if (folder === undefined) return;
  const isInside = !relative(folder, resolve(dirname(place.file), file)).startsWith("..");
  if (!isInside || file.includes("${"))
    throw new ScenarioProblem(
      `${shown(place.file)}:${place.line}: ${label}: ${file} is not a file of the capsule; if you trust its author, give --trust`,
    );
}

function refuseExpectations(source: Source, verb: Verb, path: Keys, input: GivenStep): void {
  const problems = [...momentProblems(verb, input), ...expectationProblems(verb, input)];
  const lines = problems.map(({ path: within, text }) => problemLine(source, [...path, ...within], text));
  if (lines.length > 0) throw new ScenarioProblem(lines.join("\n"));
}

/** The verb of a step. `request` has a field `expect`, which is a verb only when it is alone. */
function verbOf(place: FileLocation, label: string, input: unknown): Verb {
  const where = `${shown(place.file)}:${place.line}: ${label}`;
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new ScenarioProblem(`${where}: a step is an object with one of ${Object.keys(VERBS).join(", ")}`);
  const names = Object.keys(input);
  const verbs = (Object.keys(VERBS) as Verb[]).filter((verb) => names.includes(verb));
  const [only, second] = verbs.length > 1 ? verbs.filter((verb) => verb !== "expect") : verbs;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined)
    throw new ScenarioProblem(
      `${where}: ${only} and ${String(second)} are two steps; write them one after the other`,
    );
  const suggestion = names
    .map((name) => nearest(name, Object.keys(VERBS)))
    .find((name) => name !== undefined);
  const hint =
    suggestion === undefined ? `give one of ${Object.keys(VERBS).join(", ")}` : `did you mean ${suggestion}?`;
  throw new ScenarioProblem(`${where}: not a known step; ${hint}`);
}

function stepsOfInclude(place: FileLocation, label: string, input: GivenStep, includes: Includes): Step[] {
  const { include } = input as GivenStep<"include">;
  const file = resolve(dirname(place.file), include);
  const where = `${shown(place.file)}:${place.line}: ${label}`;
  refuseOutside(place, label, include, includes);
  if (includes.chain.includes(file)) throw new ScenarioProblem(`${where}: ${include} includes itself`);
  if (includes.chain.length > MAX_INCLUDE_DEPTH)
    throw new ScenarioProblem(`${where}: files include one another more than ${MAX_INCLUDE_DEPTH} deep`);
  includes.count.files += 1;
  if (includes.count.files > MAX_INCLUDED_FILES)
    throw new ScenarioProblem(`${where}: more than ${MAX_INCLUDED_FILES} files are included`);
  const source = readSource(file, `${where}: `);
  refuse(source, "part", [], source.value);
  return stepsOf(source, ["steps"], `${label}.${include}`, { ...includes, chain: [...includes.chain, file] });
}
