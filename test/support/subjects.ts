import { playUnder } from "../../scenarios/conditions.ts";
import { readScenario } from "../../scenarios/document.ts";
import type { Environments } from "../../scenarios/environment.ts";
import type { Subject } from "../../scenarios/trials.ts";

/** A scenario file for sweeps and variations. */
export function subjectOf(file: string, environments: Environments): Subject {
  const scenario = readScenario(file);
  return {
    name: scenario.name,
    file,
    play: (conditions) => playUnder(scenario, environments, conditions),
    again: (trial) => `again ${trial}`,
  };
}
