import type {
  Changes,
  ComparedWorld,
  ItemChange,
  WorldDifference,
} from "../emulator/subjects/world-difference.ts";

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

/** A comparison as lines: `+` is what only the second world has, `-` what only the first has, `~` what differs. */
export function linesOfDifference(found: WorldDifference): readonly string[] {
  const { a, b, same, records, rows, objects, events, parted } = found;
  const clocks = [a, b].map(({ clock }) => `${clock.mode} ${clock.rate}`);
  return [
    `- ${worldLine(a)}`,
    `+ ${worldLine(b)}`,
    ...(clocks[0] === clocks[1] ? [] : [`clock: ${clocks.join(" → ")}`]),
    ...Object.entries(records).flatMap(([name, changes]) => group(name, changes)),
    ...group("trace rows", rows),
    ...(rows.not_compared > 0 ? [`  ${rows.not_compared} more rows were not compared`] : []),
    ...group("objects", objects),
    ...group("due events", events),
    same ? "they hold the same" : "they differ",
    ...(parted ? [`their journals part: ${parted.reason}`] : []),
  ];
}

function worldLine({ world, turn, now }: ComparedWorld): string {
  return `${world}, turn ${turn}, ${now}`;
}

function group(name: string, { added, removed, changed, items, cut }: Changes): readonly string[] {
  if (added + removed + changed === 0) return [];
  return [
    `${name}: ${added} added, ${removed} removed, ${changed} changed`,
    ...items.flatMap(itemLines).map((line) => `  ${line}`),
    ...(cut > 0 ? [`  and ${cut} more`] : []),
  ];
}

function itemLines({ key, change, fields = [], fields_cut = 0, rows }: ItemChange): readonly string[] {
  return [
    `${SIGNS[change]} ${key}`,
    ...fields.map(({ path, a, b }) => `    ${path}: ${JSON.stringify(a)} → ${JSON.stringify(b)}`),
    ...(fields_cut > 0 ? [`    and ${fields_cut} more fields`] : []),
    ...(rows ? group("rows of the file", rows).map((line) => `    ${line}`) : []),
  ];
}
