import { dirname, relative, resolve } from "node:path";
import { stringify } from "yaml";
import { type GivenStep, SECTION_NAMES } from "../definition.ts";
import { type Scenario, type Step, scenarioOf } from "../document.ts";
import { parseSource } from "../source.ts";

type Members = Readonly<Record<string, unknown>>;

/** A step that can be taken out or made smaller; `origin` stays the same when it is. */
export interface PlainStep {
  readonly origin: number;
  /** As it is written, without the steps of a repetition. */
  readonly given: Members;
  readonly steps: readonly PlainStep[];
}

/** A scenario as plain values, its included files put in place. */
export interface PlainScenario {
  readonly head: Members;
  readonly sections: Readonly<Record<string, readonly PlainStep[]>>;
}

/** Takes a scenario apart, for a file in this folder. */
export function plainOf(scenario: Scenario, folder: string): PlainScenario {
  let count = 0;
  const variables: Record<string, unknown> = { ...scenario.variables };
  function plain(step: Step): readonly PlainStep[] {
    const inside = step.steps.flatMap(plain);
    if (step.verb === "include" && isConstant(step, variables)) {
      Object.assign(variables, (step.given as GivenStep<"include">).with);
      return inside;
    }
    count += 1;
    const isWhole = step.verb !== "repeat";
    return [{ origin: count, given: moved(step, folder), steps: isWhole ? [] : inside }];
  }
  const sections = Object.fromEntries(
    SECTION_NAMES.map((name) => [name, scenario.steps.filter(isIn(name)).flatMap(plain)]),
  );
  const { sentence, seed, now, settings } = scenario;
  const head = { scenario: sentence, seed, now, settings, variables };
  return { head: filledOnly(head), sections };
}

const isIn =
  (section: string) =>
  ({ label }: Step): boolean =>
    label.startsWith(`${section}[`);

/** Whether the variables of an include mean the same when they are set at the beginning. */
function isConstant({ given }: Step, variables: Members): boolean {
  const { with: input = {} } = given as GivenStep<"include">;
  return !JSON.stringify(input).includes("${") && Object.keys(input).every((name) => !(name in variables));
}

/** The step with its files named from another folder; the steps of a repetition are apart. */
function moved({ verb, given, place }: Step, folder: string): Members {
  const { steps: _, ...rest } = given as Members;
  const from = (file: string) => relative(folder, resolve(dirname(place.file), file)).replaceAll("\\", "/");
  if (verb === "include") return { ...rest, include: from(String(rest.include)) };
  const { seed } = rest as { readonly seed?: Members };
  if (verb !== "seed" || seed?.file === undefined) return rest;
  return { ...rest, seed: { ...seed, file: from(String(seed.file)) } };
}

/** The text of the scenario file. */
export function textOf({ head, sections }: PlainScenario): string {
  const lists = Object.entries(sections).map(([name, steps]) => [name, steps.map(written)] as const);
  return stringify({ ...head, ...Object.fromEntries(lists.filter(([, steps]) => steps.length > 0)) });
}

function written({ given, steps }: PlainStep): Members {
  return steps.length === 0 ? given : { ...given, steps: steps.map(written) };
}

/** The checked scenario of a file with this content. Throws `ScenarioProblem`. */
export function scenarioFrom(plain: PlainScenario, file: string): Scenario {
  return scenarioOf(parseSource(file, textOf(plain)));
}

/** The step that a label such as `when[0][1]` names. */
export function originOf({ sections }: PlainScenario, label: string): number | undefined {
  const [, section = "", places = ""] = /^(\w+)((?:\[\d+\])+)/.exec(label) ?? [];
  let steps = sections[section] ?? [];
  let plainStep: PlainStep | undefined;
  for (const [, at] of places.matchAll(/\[(\d+)\]/g)) {
    plainStep = steps[Number(at)];
    steps = plainStep?.steps ?? [];
  }
  return plainStep?.origin;
}

/** How many steps it has, those of repetitions included. */
export function stepCount({ sections }: PlainScenario): number {
  const count = (steps: readonly PlainStep[]): number =>
    steps.reduce((sum, step) => sum + 1 + count(step.steps), 0);
  return Object.values(sections).reduce((sum, steps) => sum + count(steps), 0);
}

function filledOnly(head: Members): Members {
  return Object.fromEntries(
    Object.entries(head).filter(([, value]) => value !== undefined && !isEmptyObject(value)),
  );
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
