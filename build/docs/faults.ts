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
      table(
        ["`then`", "Value", "Effect", "Can be combined with"],
        Object.entries<FaultMember>(then).map(memberRow),
      ),
    ],
  );
  return page(
    "Faults",
    "`emulator fault targets`, `points` and `presets` print the same lists. [Faults](../understand/faults.md) explains how faults match and count.",
    "## Presets",
    "Use `emulator fault arm <preset>`. You can add `match`, `times`, `ttl` and `optional`.",
    table(["Preset", "Effect", "Stands for"], Object.entries<FaultPreset>(FAULT_PRESETS).map(presetRow)),
    "## Points",
    "The values of `match.at`: steps of an export run.",
    table(
      ["Point", "When"],
      Object.entries(FAULT_POINTS).map(([name, when]) => [code(name), when]),
    ),
    "## Targets",
    ...targets,
  );
}

function memberRow([name, { takes, meaning, combinesWith = [] }]: readonly [string, FaultMember]) {
  return [code(name), takes.replaceAll("_", " "), plain(meaning), codes(combinesWith)];
}

function presetRow([name, { summary, target, match, then, outlasts }]: readonly [string, FaultPreset]) {
  const effect =
    outlasts === undefined ? JSON.stringify(then) : `{"stall":"longer than ${outlasts.replace(/_ms$/, "")}"}`;
  return [code(name), plain(summary), code(`${target} ${JSON.stringify(match)} → ${effect}`)];
}
