import type { ControlClient } from "../../emulator/client/control-client.ts";
import type { WorldView } from "../../emulator/subjects/control-operation.ts";
import { type Command, type Invocation, TARGET_FLAGS, UsageError } from "../command.ts";
import { runningWorld } from "../running.ts";
import { printResult } from "../terminal.ts";

interface Action {
  readonly operands: number;
  run(client: ControlClient, invocation: Invocation, id: string | undefined): Promise<unknown>;
  lines(answer: never): readonly string[];
}

const ID_WIDTH = 20;

const ACTIONS: Readonly<Record<string, Action>> = {
  list: {
    operands: 0,
    run: (client) => client.worlds.list(),
    lines: (worlds: readonly WorldView[]) => worlds.map(lineOf),
  },
  create: {
    operands: 1,
    run: (client, { flags: { from, at } }, id) =>
      client.worlds.create({
        id,
        ...(typeof from === "string" && { from }),
        ...(typeof at === "string" && { at }),
      }),
    lines: (world: WorldView) => [lineOf(world)],
  },
  rm: {
    operands: 1,
    run: (client, _, id) => client.worlds.remove(needed(id)),
    lines: ({ id }: WorldView) => [`${id} is removed`],
  },
};

export const command: Command = {
  summary: "list, create and rm the worlds of a running emulator",
  operands: ["<list|create|rm>", "[id…]"],
  flags: {
    ...TARGET_FLAGS,
    from: {
      value: "<name>",
      help: "with create: the world or snapshot to copy; `seeded` starts with the configured seed data",
    },
    at: {
      value: "<turn|ISO>",
      help: "with create: the turn or the instant of that world from which the new one goes on",
    },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags, operands } = invocation;
  const [name = "", id, surplus] = operands;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw new UsageError(`${name}: unknown action of world; give one of ${Object.keys(ACTIONS).join(", ")}`);
  const extra = [id, surplus][action.operands];
  if (extra !== undefined) throw new UsageError(`${extra}: not expected after world ${name}`);
  for (const flag of ["from", "at"])
    if (flags[flag] !== undefined && name !== "create")
      throw new UsageError(`--${flag}: only \`world create\` takes it`);
  if (name === "rm") needed(id);
  const { client } = await runningWorld(invocation);
  const answer = await action.run(client, invocation, id);
  printResult(invocation, answer, action.lines(answer as never));
  return 0;
}

function lineOf({ id, from, url, now }: WorldView): string {
  const origin = from === null ? "began empty" : `goes on from ${from}`;
  return `${id.padEnd(ID_WIDTH)}${url}; ${origin}; ${now ?? "not in use since the start"}`;
}

function needed(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new UsageError("world rm: <id> is missing; `emulator world list` lists them");
}
