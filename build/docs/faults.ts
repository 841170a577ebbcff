import {
  FAULT_POINTS,
  FAULT_PRESETS,
  FAULT_TARGETS,
  type FaultMember,
  type FaultPreset,
  type FaultTargetRow,
  type MatchKind,
  PROCESSING_ERRORS,
  type ThenKind,
} from "../../contracts/spec/faults.ts";
import { S3_ERRORS } from "../../emulator/subjects/object-storage/errors.ts";
import { code, codes, page, plain, table } from "./markdown.ts";

/** Targets, points and presets. */
export function faultsPage(): string {
  const targets = Object.entries<FaultTargetRow>(FAULT_TARGETS).flatMap(
    ([name, { summary, match, then }]) => [
      `### ${code(name)}`,
      `${plain(summary)} \`match\`: ${Object.entries(match).map(matchText).join(", ")}.`,
      table(
        ["`then`", "Value", "Effect", "Can be combined with"],
        Object.entries<FaultMember>(then).map(([name, member]) => memberRow(name, member, then)),
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

const MATCH_VALUES: Readonly<Record<MatchKind, string>> = {
  text: "text",
  id: "id",
  point: "point",
  s3_operation: "S3 operation",
  operation: "operation",
  region: "region",
  number: "number from 0",
  count: "number from 1",
};

function matchText([name, kind]: readonly [string, MatchKind]) {
  return `${code(name)} (${MATCH_VALUES[kind]})`;
}

const VALUES: Partial<Readonly<Record<ThenKind, string>>> = {
  processing_error: `one of ${codes(PROCESSING_ERRORS)}`,
  s3_error: `one of ${codes(Object.keys(S3_ERRORS))}`,
};

function memberRow(name: string, { takes, meaning }: FaultMember, then: FaultTargetRow["then"]) {
  const combinable = Object.keys(then).filter(
    (other) => then[name]?.combinesWith?.includes(other) || then[other]?.combinesWith?.includes(name),
  );
  const value = VALUES[takes] ?? takes.replaceAll("_", " ").replace("yes", "`true`");
  return [code(name), value, plain(meaning), codes(combinable)];
}

function presetRow([name, { summary, target, match, then, outlasts }]: readonly [string, FaultPreset]) {
  const rule = `${target} ${JSON.stringify(match)} →`;
  const effect =
    outlasts === undefined
      ? code(`${rule} ${JSON.stringify(then)}`)
      : `${code(rule)} \`stall\` of a second more than \`limits.${outlasts.replace(/_ms$/, "")}\``;
  return [code(name), plain(summary), effect];
}
