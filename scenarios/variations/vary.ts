import type { ChoiceView } from "../../emulator/client/views.ts";
import type { Exploration, Trial } from "../trials.ts";
import { NOTING, type Variation, type VariationMode, variationByName, variationsOf } from "./variations.ts";

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
