import { printExact } from "../../contracts/spec/exact-json.ts";
import type { WorldView } from "../../emulator/subjects/control-operation.ts";
import type {
  Changes,
  ComparedWorld,
  ItemChange,
  WorldDifference,
} from "../../emulator/subjects/world-difference.ts";
import { clientCommand, STOPPED_THERE } from "../client-command.ts";
import { type CommandGroup, TARGET_FLAGS } from "../command.ts";
import { compareWorlds } from "../long-work.ts";
import { textOf } from "../values.ts";

const ID_WIDTH = 20;

export const command: CommandGroup = {
  summary: "the worlds of a running emulator",
  actions: {
    list: clientCommand({
      summary: "list the worlds",
      where: TARGET_FLAGS,
      send: ({ client }) => client.worlds.list(),
      lines: (worlds) => worlds.map(lineOf),
    }),
    create: clientCommand({
      summary: "create a world, empty or as a copy (default id: world-1, world-2, …)",
      operands: ["[id]"],
      flags: {
        from: {
          value: "<name>",
          help: "the world or snapshot to copy; `seeded` starts with the configured seed data",
        },
        at: {
          value: "<turn|time>",
          help: "with --from <world>: copy its state after a turn, or at a virtual time (ISO 8601)",
        },
      },
      where: TARGET_FLAGS,
      send: ({ client }, { operands: [id], flags: { from, at } }) =>
        client.worlds.create({
          id,
          ...(typeof from === "string" && { from }),
          ...(typeof at === "string" && { at }),
        }),
      lines: (world) => [lineOf(world)],
    }),
    diff: clientCommand({
      summary:
        "print the differences of two worlds, or of two states of one: `world diff main main --at 3 --with-at 7`",
      operands: ["<world a>", "<world b>"],
      flags: {
        at: {
          value: "<turn|time>",
          help: "state of the first world after a turn, or at a virtual time (ISO 8601)",
        },
        "with-at": { value: "<turn|time>", help: "state of the second world, in the same form" },
      },
      where: TARGET_FLAGS,
      unit: "rows",
      whenStopped: STOPPED_THERE,
      prepare: (invocation) => {
        const [a = "", b = ""] = invocation.operands;
        const [at, with_at] = [textOf(invocation, "at"), textOf(invocation, "with-at")];
        return (world, work) =>
          compareWorlds(world, work, a, { with: b, ...(at && { at }), ...(with_at && { with_at }) });
      },
      lines: linesOfDifference,
    }),
    rm: clientCommand({
      summary: "remove a world with its data",
      operands: ["<id>"],
      where: TARGET_FLAGS,
      send: ({ client }, { operands: [id = ""] }) => client.worlds.remove(id),
      lines: ({ id }) => [`${id} is removed`],
    }),
  },
};

function lineOf({ id, from, url, now }: WorldView): string {
  const origin = from === null ? "started empty" : `forked from ${from}`;
  return `${id.padEnd(ID_WIDTH)}${url}; ${origin}; ${now ?? "not in use since the start"}`;
}

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

/** A comparison as lines: `+` is only in the second world, `-` only in the first, `~` differs. */
function linesOfDifference(difference: WorldDifference): readonly string[] {
  const { a, b, same, records, rows, objects, events, parted } = difference;
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
    ...fields.map(({ path, a, b }) => `    ${path}: ${printExact(a)} → ${printExact(b)}`),
    ...(fields_cut > 0 ? [`    and ${fields_cut} more fields`] : []),
    ...(rows ? group("rows of the file", rows).map((line) => `    ${line}`) : []),
  ];
}
