import { coveringRows } from "../../contracts/engine/pairs.ts";
import { OPEN_CHOICES, settingsFor, valuesOf } from "../../contracts/spec/alternatives.ts";
import type { AssumptionValue } from "../../contracts/spec/assumption.ts";
import { ASSUMPTIONS, type AssumptionId } from "../../contracts/spec/assumptions.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../../emulator/client/values.ts";
import type { ChoiceView } from "../../emulator/client/views.ts";
import { overlaid } from "../conditions.ts";
import type { Exploration, Trial } from "../trials.ts";

/** Settings of a baseline, which records the choices that it consults. */
export const NOTING = { server: { note_choices: true } };

/** The trials: each alternative alone, all pairs of alternatives, or the observed profile. */
export const VARIATION_MODES = ["each", "pairs", "observed"] as const;

export type VariationMode = (typeof VARIATION_MODES)[number];

/** An assumption with another value than in the baseline. */
interface ChangedChoice {
  readonly id: AssumptionId;
  readonly from: AssumptionValue;
  readonly to: AssumptionValue;
}

/** Other assumption values than in the baseline, and the settings that select them. */
export interface Variation extends Pick<Trial, "name" | "section" | "differs" | "means"> {
  /** Its name joins several choices by `, `. */
  readonly choices: readonly AssumptionId[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** The same without one of the changed choices. Empty if only one is changed. */
  parts(): readonly Variation[];
}

const DEFAULT_KEY = { key: DEFAULT_API_KEY, tenants: [DEFAULT_TENANT_ID] };

/** The variations that can change a run which consulted these choices. */
export function variationsOf(consulted: readonly ChoiceView[], mode: VariationMode): readonly Variation[] {
  if (mode === "observed")
    return [observedVariation(consulted)].filter((variation) => variation !== undefined);
  const alternatives = consulted.map(({ id, value: from }) =>
    valuesOf(id)
      .filter((to) => to !== from)
      .map((to): ChangedChoice => ({ id, from, to })),
  );
  if (mode === "each" || alternatives.length < 2)
    return alternatives.flat().map((change) => variationOf([change]));
  const rows = coveringRows(alternatives.map((values) => values.length + 1));
  return rows.map((row) =>
    variationOf(
      row.flatMap((at, index) => (at === 0 ? [] : [alternatives[index]?.[at - 1] as ChangedChoice])),
    ),
  );
}

function variationOf(changes: readonly ChangedChoice[]): Variation {
  return {
    name: changes.map(({ id, to }) => `${id}=${to}`).join(", "),
    choices: changes.map(({ id }) => id),
    section: [...new Set(changes.map(({ id }) => ASSUMPTIONS[id].section))].join(", §"),
    differs: changes.map(({ id, from, to }) => `${id} is ${to}, not ${from}`).join("; "),
    means: changes.map(reliance).join("; or "),
    settings: changes.map(({ id, to }) => settingsFor(id, to, DEFAULT_KEY)).reduce(overlaid, {}),
    parts: () =>
      changes.length < 2 ? [] : changes.map((_, index) => variationOf(changes.toSpliced(index, 1))),
  };
}

function reliance({ id, from }: ChangedChoice): string {
  const { section, requirement } = ASSUMPTIONS[id];
  const why = requirement === "8.2-5" ? "where two statements conflict" : "not specified";
  return `it relies on ${id} = ${from} (§${section}, ${why})`;
}

/** The whole observed profile. Undefined if it differs in none of the consulted choices. */
function observedVariation(consulted: readonly ChoiceView[]): Variation | undefined {
  const changes = consulted.flatMap(({ id, value: from, observed: to }) =>
    to === undefined || to === from ? [] : [{ id, from, to }],
  );
  if (changes.length === 0) return undefined;
  return { ...variationOf(changes), name: "profile=observed", settings: { profile: "observed" } };
}

/** One variation for each alternative value of an assumption. */
export function alternativesOf(id: AssumptionId): readonly Variation[] {
  const { choice, alternatives = [] } = ASSUMPTIONS[id];
  return alternatives.map((to) => variationOf([{ id, from: choice, to }]));
}

/** The variation with this name, as in reports. */
export function variationByName(name: string, consulted: readonly ChoiceView[] = []): Variation | undefined {
  const changes = name.split(", ").map((part) => {
    const [, id = "", text = ""] = /^([a-z_.]+)=(.*)$/.exec(part) ?? [];
    const choice = OPEN_CHOICES.find((each) => each === id);
    const to = choice && valuesOf(choice).find((value) => String(value) === text);
    if (choice === undefined || to === undefined) return undefined;
    const from = consulted.find((each) => each.id === choice)?.value ?? ASSUMPTIONS[choice].choice;
    return { id: choice, from, to };
  });
  const validChanges = changes.filter((change) => change !== undefined);
  return validChanges.length === changes.length ? variationOf(validChanges) : undefined;
}

/** Every variation that can change a scenario, or only the one with this name. */
export function variationTrials(mode: VariationMode, name?: string): Exploration<readonly ChoiceView[]> {
  return {
    name: "--vary",
    baseline: { settings: NOTING, end: ({ control }) => control.choices() },
    trialsOf(consulted) {
      const variation = name === undefined ? undefined : variationByName(name, consulted);
      return (variation ? [variation] : variationsOf(consulted, mode)).map(trialOf);
    },
  };
}

function trialOf({ settings, parts, choices: _, ...variation }: Variation): Trial {
  return { ...variation, conditions: { settings, end: async () => [] }, smaller: () => parts().map(trialOf) };
}
