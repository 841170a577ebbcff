import { OPEN_CHOICES, settingsFor, valuesOf } from "../../contracts/spec/alternatives.ts";
import type { Assumption, AssumptionValue } from "../../contracts/spec/assumption.ts";
import { ASSUMPTIONS, type AssumptionId } from "../../contracts/spec/assumptions.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../../emulator/client/values.ts";
import type { ChoiceView } from "../../emulator/client/views.ts";
import { overlaid } from "../conditions.ts";
import { pairwise } from "./pairwise.ts";

/** The settings of a baseline, which notes what it depends on. */
export const NOTING = { server: { note_choices: true } };

/** Which readings are tried: each alternative alone, all pairs of them, or the observed profile. */
export const READING_MODES = ["each", "pairs", "observed"] as const;

export type ReadingMode = (typeof READING_MODES)[number];

/** A choice that is made in another way than in the baseline. */
interface Changed {
  readonly id: AssumptionId;
  readonly from: AssumptionValue;
  readonly to: AssumptionValue;
}

/** One way to read the specification, and the settings under which the emulator reads it so. */
export interface Reading {
  /** For example `agent.list_order=oldest first`; several choices are joined by `, `. */
  readonly name: string;
  readonly choices: readonly AssumptionId[];
  readonly section: string;
  readonly differs: string;
  readonly means: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same without one of the changed choices; none where a single one is changed. */
  parts(): readonly Reading[];
}

const DEFAULT_KEY = { key: DEFAULT_API_KEY, tenants: [DEFAULT_TENANT_ID] };

/** The readings that a run could depend on, from the choices that it has consulted. */
export function readingsOf(consulted: readonly ChoiceView[], mode: ReadingMode): readonly Reading[] {
  if (mode === "observed") return [observed(consulted)].filter((reading) => reading !== undefined);
  const alternatives = consulted.map(({ id, value: from }) =>
    valuesOf(id)
      .filter((to) => to !== from)
      .map((to): Changed => ({ id, from: from, to })),
  );
  if (mode === "each" || alternatives.length < 2)
    return alternatives.flat().map((changed) => readingOf([changed]));
  const rows = pairwise(alternatives.map((values) => values.length + 1));
  return rows.map((row) =>
    readingOf(row.flatMap((at, index) => (at === 0 ? [] : [alternatives[index]?.[at - 1] as Changed]))),
  );
}

function readingOf(changes: readonly Changed[]): Reading {
  return {
    name: changes.map(({ id, to }) => `${id}=${to}`).join(", "),
    choices: changes.map(({ id }) => id),
    section: [...new Set(changes.map(({ id }) => ASSUMPTIONS[id].section))].join(", §"),
    differs: changes.map(({ id, from, to }) => `${id} is ${to}, not ${from}`).join("; "),
    means: changes.map(reliance).join("; or "),
    settings: changes.map(({ id, to }) => settingsFor(id, to, DEFAULT_KEY)).reduce(overlaid, {}),
    parts: () =>
      changes.length < 2 ? [] : changes.map((_, index) => readingOf(changes.toSpliced(index, 1))),
  };
}

function reliance({ id, from }: Changed): string {
  const { section, requirement } = ASSUMPTIONS[id];
  const why = requirement === "8.2-5" ? "where two statements conflict" : "not specified";
  return `it relies on ${id} = ${from} (§${section}, ${why})`;
}

/** The observed profile as a whole; undefined where nothing that was consulted differs in it. */
function observed(consulted: readonly ChoiceView[]): Reading | undefined {
  const changes = consulted.flatMap(({ id, value: from, observed: to }) =>
    to === undefined || to === from ? [] : [{ id, from, to }],
  );
  if (changes.length === 0) return undefined;
  return { ...readingOf(changes), name: "profile=observed", settings: { profile: "observed" } };
}

/** The readings of a choice that differ from the one of the tables. */
export function alternativesOf(id: AssumptionId): readonly Reading[] {
  const { choice, alternatives }: Assumption = ASSUMPTIONS[id];
  return alternatives.map((to) => readingOf([{ id, from: choice, to }]));
}

/** The reading of this name, as reports show it; undefined when there is none. */
export function readingNamed(name: string, consulted: readonly ChoiceView[] = []): Reading | undefined {
  const changes = name.split(", ").map((part) => {
    const [, id = "", text = ""] = /^([a-z_.]+)=(.*)$/.exec(part) ?? [];
    const known = OPEN_CHOICES.find((each) => each === id);
    const to = known && valuesOf(known).find((value) => String(value) === text);
    if (known === undefined || to === undefined) return undefined;
    return {
      id: known,
      from: consulted.find((each) => each.id === known)?.value ?? ASSUMPTIONS[known].choice,
      to,
    };
  });
  const found = changes.filter((each) => each !== undefined);
  return found.length === changes.length ? readingOf(found) : undefined;
}
