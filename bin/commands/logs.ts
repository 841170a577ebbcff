import { readFileSync } from "node:fs";
import { lineOfTurn } from "../../emulator/client/turn-line.ts";
import { AS_OF_FLAG, type Command, type Invocation, UsageError, WORLD_FLAGS } from "../command.ts";
import { configurationOf, locatorFolder } from "../configuration.ts";
import { logOf } from "../detached.ts";
import { followJournal } from "../journal/follow.ts";
import { readWorld } from "../running.ts";
import { printResult } from "../terminal.ts";
import { countOf, FROM_ZERO } from "../values.ts";

const DEFAULT_TURNS = 100;
const MAX_TURNS = 10_000;

export const command: Command = {
  summary: "print the journal of a running emulator, a line for each turn with its cause",
  operands: [],
  flags: {
    follow: { help: "print new turns until Ctrl-C" },
    since: { value: "<turn>", help: "only turns after this number" },
    output: { help: "instead of the journal, print the output (emulator.log) of `start --detach`" },
    limit: { value: "<n>", help: `number of past turns (default ${DEFAULT_TURNS}; all with --since)` },
    ...WORLD_FLAGS,
    ...AS_OF_FLAG,
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  if (invocation.flags.output === true) return printOutput(invocation);
  const since = countOf(invocation, "since", FROM_ZERO);
  const limit = countOf(invocation, "limit", { least: 0, most: MAX_TURNS });
  if (invocation.flags.follow === true && invocation.flags.at !== undefined)
    throw new UsageError(
      "--follow: it cannot be combined with --at, because history does not change. Remove one of them.",
    );
  const world = await readWorld(invocation);
  const turns = await world.client.journal(since);
  const most = limit ?? (since === undefined ? DEFAULT_TURNS : turns.length);
  for (const entry of most === 0 ? [] : turns.slice(-most))
    printResult(invocation, entry, [lineOfTurn(entry)]);
  if (invocation.flags.follow !== true) return 0;
  for await (const entry of followJournal(world, turns.at(-1)?.turn ?? since))
    printResult(invocation, entry, [lineOfTurn(entry)]);
  return 0;
}

async function printOutput(invocation: Invocation): Promise<number> {
  const file = logOf(locatorFolder(await configurationOf(invocation), invocation.cwd));
  const text = readIfPresent(file);
  if (text === undefined)
    throw new UsageError(
      `${file} does not exist: only an emulator that was started with --detach writes it, and others print to their terminals; start one with \`emulator start --detach\``,
    );
  const lines = text.trimEnd().split("\n");
  printResult(invocation, { file, lines }, lines);
  return 0;
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
