import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";
import { asking } from "../asking.ts";
import { type CommandGroup, type Flags, TARGET_FLAGS } from "../command.ts";
import { exportTo, importFrom } from "../snapshot/files.ts";
import { missingLines } from "../snapshot/lines.ts";

const FORCE: Flags = { force: { help: "replace the file or snapshot of that name" } };

export const command: CommandGroup = {
  summary: "saved states of the worlds of a running emulator, and their files",
  actions: {
    save: asking({
      summary: "save the world as it is now",
      operands: ["<name>"],
      flags: FORCE,
      ask:
        ({ operands: [name = ""], flags }) =>
        ({ client }) =>
          client.snapshots.save(name, { replace: flags.force === true }),
      lines: ({ name, of, now }) => [`${name} is saved (${of} at ${now})`],
    }),
    load: asking({
      summary: "replace the content of the world by a snapshot",
      operands: ["<name>"],
      ask:
        ({ operands: [name = ""] }) =>
        ({ client }) =>
          client.snapshots.load(name),
      lines: ({ name, now, missing }) => [`${name} is loaded; it is ${now}`, ...missingLines(missing)],
    }),
    list: asking({
      summary: "list the snapshots of all worlds",
      where: TARGET_FLAGS,
      ask: () => (world) => world.client.snapshots.list(),
      lines: (all) => all.map(({ name, of, now, turn }) => `${name.padEnd(20)}${of} at ${now}, turn ${turn}`),
    }),
    rm: asking({
      summary: "remove a snapshot",
      operands: ["<name>"],
      where: TARGET_FLAGS,
      ask:
        ({ operands: [name = ""] }) =>
        ({ client }) =>
          client.snapshots.remove(name),
      lines: ({ removed }) => [`${removed} is removed`],
    }),
    export: asking({
      summary: "write a snapshot to a file",
      operands: ["<name>", "<file>"],
      flags: FORCE,
      where: TARGET_FLAGS,
      ask: (invocation) => (world, work) => exportTo(world, work, invocation),
      lines: ({ file, bytes, left_out }) => [
        `${file} is written (${bytes} bytes)`,
        ...(left_out
          ? [
              `secrets were left out (${left_out}); supply them with \`emulator snapshot import --secrets <file>\``,
            ]
          : []),
      ],
    }),
    import: asking({
      summary: "import a file of `snapshot export` as a snapshot (default name: that in the file)",
      operands: ["<file>", "[name]"],
      flags: {
        ...FORCE,
        secrets: {
          value: "<file>",
          help: "JSON file with the secrets, which snapshot files omit (format: docs/understand/worlds.md)",
        },
      },
      where: TARGET_FLAGS,
      ask: (invocation) => (world, work) => importFrom(world, work, invocation),
      lines: (snapshot: SnapshotView) => [
        `${snapshot.name} is imported (${snapshot.of} at ${snapshot.now}); \`emulator snapshot load ${snapshot.name}\` loads it into the world`,
        ...missingLines(snapshot.missing),
      ],
    }),
  },
};
