import { shellWord } from "../../emulator/client/shell.ts";
import { playUnder } from "../../scenarios/conditions.ts";
import type { Environments } from "../../scenarios/environment.ts";
import { readScenarios, replayLine } from "../../scenarios/replay.ts";
import type { Subject } from "../../scenarios/trials.ts";

/** Scenarios that are played again in other ways: each thread reads them itself. */
export interface SubjectFiles {
  readonly files: readonly string[];
  readonly cwd: string;
  readonly seed: number | undefined;
  /** The flag that chooses the way, as it is written again. */
  readonly flag: string;
}

/** The scenarios in these files. */
export function subjectsOf(
  { files, cwd, seed, flag }: SubjectFiles,
  environments: Environments,
): readonly Subject[] {
  const again = [flag, ...(seed === undefined ? [] : [`--seed ${seed}`])];
  return readScenarios(files).map((scenario) => ({
    name: scenario.name,
    file: scenario.file,
    play: (conditions) =>
      playUnder(seed === undefined ? scenario : { ...scenario, seed }, environments, conditions),
    again: (trial) => replayLine(scenario.file, cwd, [...again, `--only ${shellWord(trial)}`]),
  }));
}
