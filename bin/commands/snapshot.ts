import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";
import { type Command, type Invocation, UsageError, WORLD_FLAGS } from "../command.ts";
import { type RunningWorld, runningWorld } from "../running.ts";
import { exportTo, importFrom } from "../snapshot/files.ts";
import { missingLines } from "../snapshot/lines.ts";
import { printResult } from "../terminal.ts";

interface Action {
  /** Operands; one in brackets is optional. */
  readonly operands: readonly string[];
  /** Flags that only this action takes. */
  readonly flags?: readonly string[];
  run(world: RunningWorld, names: readonly string[], invocation: Invocation): Promise<unknown>;
  lines(answer: never): readonly string[];
}

const TIMEOUT_MS = 10 * 60_000;

const ACTIONS: Readonly<Record<string, Action>> = {
  save: {
    operands: ["<name>"],
    run: ({ client }, [name = ""]) => client.snapshots.save(name),
    lines: (snapshot: SnapshotView) => [`${snapshot.name} is saved (${snapshot.of} at ${snapshot.now})`],
  },
  load: {
    operands: ["<name>"],
    run: ({ client }, [name = ""]) => client.snapshots.load(name),
    lines: (snapshot: SnapshotView) => [
      `${snapshot.name} is loaded; it is ${snapshot.now}`,
      ...missingLines(snapshot.missing),
    ],
  },
  list: {
    operands: [],
    run: ({ client }) => client.snapshots.list(),
    lines: (all: readonly SnapshotView[]) =>
      all.map(({ name, of, now, turn }) => `${name.padEnd(20)}${of} at ${now}, turn ${turn}`),
  },
  rm: {
    operands: ["<name>"],
    run: ({ client }, [name = ""]) => client.snapshots.remove(name),
    lines: ({ removed }: { removed: string }) => [`${removed} is removed`],
  },
  export: {
    operands: ["<name>", "<file>"],
    flags: ["force"],
    run: ({ url }, ...rest) => exportTo(url, ...rest),
    lines: ({ file, bytes, left_out }: Awaited<ReturnType<typeof exportTo>>) => [
      `${file} is written (${bytes} bytes)`,
      ...(left_out
        ? [`secrets were left out (${left_out}); \`emulator snapshot import --secrets <file>\` takes them`]
        : []),
    ],
  },
  import: {
    operands: ["<file>", "[name]"],
    flags: ["secrets", "force"],
    run: ({ url }, ...rest) => importFrom(url, ...rest),
    lines: (snapshot: SnapshotView) => [
      `${snapshot.name} is imported (${snapshot.of} at ${snapshot.now}); \`emulator snapshot load ${snapshot.name}\` loads it into the world`,
      ...missingLines(snapshot.missing),
    ],
  },
};

export const command: Command = {
  summary: "save, load, list and rm snapshots of a running emulator; export them to files and import those",
  operands: ["<save|load|list|rm|export|import>", "[name or file…]"],
  flags: {
    ...WORLD_FLAGS,
    force: { help: "with export and import: replace the file or snapshot of that name" },
    secrets: {
      value: "<file>",
      help: "with import: a JSON file with the secrets that the file goes without",
    },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { operands } = invocation;
  const [name = "", ...names] = operands;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw new UsageError(
      `${name}: unknown action of snapshot; give one of ${Object.keys(ACTIONS).join(", ")}`,
    );
  refuseMisuse(name, action, names, invocation);
  const answer = await action.run(await runningWorld(invocation, TIMEOUT_MS), names, invocation);
  printResult(invocation, answer, action.lines(answer as never));
  return 0;
}

function refuseMisuse(name: string, action: Action, names: readonly string[], { flags }: Invocation): void {
  const wanted = action.operands[names.length];
  if (wanted?.startsWith("<")) throw new UsageError(`snapshot ${name}: ${wanted} is missing`);
  const surplus = names[action.operands.length];
  if (surplus !== undefined) throw new UsageError(`${surplus}: not expected after snapshot ${name}`);
  const ofFiles = ["force", "secrets"];
  for (const flag of ofFiles)
    if (flags[flag] !== undefined && !action.flags?.includes(flag))
      throw new UsageError(`--${flag}: snapshot ${name} does not take it`);
}
