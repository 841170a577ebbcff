import { CHILD_VARIABLES, childEnvironment } from "../../emulator/client/child-environment.ts";
import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { basePathOf, requireLocator, runningWorld, urlFlag } from "../running.ts";
import { print } from "../terminal.ts";

export const command: Command = {
  summary:
    'print `export …` lines with the addresses and keys of a running emulator: `eval "$(emulator env)"`',
  operands: [],
  flags: WORLD_FLAGS,
  note: `Variables: ${CHILD_VARIABLES}.`,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const isElsewhere = urlFlag(invocation) !== undefined || basePathOf(invocation) !== "";
  // The locator file has the addresses of the world main and is readable while the emulator is busy.
  const addresses = isElsewhere
    ? await (await runningWorld(invocation)).client.status()
    : await requireLocator(invocation);
  const variables = childEnvironment(addresses);
  if (invocation.flags.json === true) print(JSON.stringify(variables));
  else
    for (const [name, value] of Object.entries(variables))
      print(`export ${name}='${value.replaceAll("'", "'\\''")}'`);
  return 0;
}
