import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { runningWorld } from "../running.ts";
import { printResult } from "../terminal.ts";

export const command: Command = {
  summary: "reset the world to its initial state, with the seed data of the configuration",
  operands: [],
  flags: { ...WORLD_FLAGS, empty: { help: "without the seed data" } },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { url, client } = await runningWorld(invocation);
  const status = await client.reset(invocation.flags.empty === true ? { empty: true } : {});
  printResult(invocation, status, [`${url} is reset`]);
  return 0;
}
