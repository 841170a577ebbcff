import type { ChoiceView } from "../../emulator/client/views.ts";
import type { Exploration, Trial } from "../trials.ts";
import { NOTING, type Reading, type ReadingMode, readingNamed, readingsOf } from "./readings.ts";

/** Every reading of the specification that a scenario could depend on; with a name that one alone. */
export function readingTrials(mode: ReadingMode, name?: string): Exploration<readonly ChoiceView[]> {
  return {
    name: "--vary",
    baseline: { settings: NOTING, end: ({ control }) => control.choices() },
    trialsOf(consulted) {
      const named = name === undefined ? undefined : readingNamed(name, consulted);
      return (named ? [named] : readingsOf(consulted, mode)).map(trialOf);
    },
  };
}

function trialOf({ settings, parts, choices: _, ...reading }: Reading): Trial {
  return { ...reading, conditions: { settings, end: async () => [] }, smaller: () => parts().map(trialOf) };
}
