import {
  FAULT_POINTS,
  FAULT_PRESETS,
  FAULT_TARGETS,
  type FaultMember,
  type FaultPreset,
  type FaultTargetRow,
} from "../../contracts/spec/faults.ts";
import { code, codes, page, plain, table } from "./markdown.ts";

/** Targets, points and presets. */
export function faultsPage(): string {
  const targets = Object.entries<FaultTargetRow>(FAULT_TARGETS).flatMap(
    ([name, { summary, match, then }]) => [
      `### ${code(name)}`,
      `${plain(summary)} \`match\`: ${codes(Object.keys(match))}.`,
      table(["`then`", "Takes", "Effect", "Beside"], Object.entries<FaultMember>(then).map(memberRow)),
    ],
  );
  return page(
    "Faults",
    "`emulator fault targets`, `points` and `presets` print the same. [Faults](../understand/faults.md) explains how they are matched and counted.",
    "## Presets",
    "`emulator fault arm <preset>`; `match`, `times`, `ttl` and `optional` may be added.",
    table(["Preset", "Effect", "Stands for"], Object.entries<FaultPreset>(FAULT_PRESETS).map(presetRow)),
    "## Points",
    "What `match.at` takes: moments in the life of an export run.",
    table(
      ["Point", "When"],
      Object.entries(FAULT_POINTS).map(([name, when]) => [code(name), when]),
    ),
    "## Targets",
    ...targets,
  );
}

function memberRow([name, { takes, meaning, beside = [] }]: readonly [string, FaultMember]) {
  return [code(name), takes.replaceAll("_", " "), plain(meaning), codes(beside)];
}

function presetRow([name, { summary, target, match, then, outlasts }]: readonly [string, FaultPreset]) {
  const effect =
    outlasts === undefined ? JSON.stringify(then) : `{"stall":"longer than ${outlasts.replace(/_ms$/, "")}"}`;
  return [code(name), plain(summary), code(`${target} ${JSON.stringify(match)} → ${effect}`)];
}
