import { childEnvironment } from "../child-environment.ts";
import { type Command, type Invocation, TARGET_FLAGS } from "../command.ts";
import { neededLocator, statusOf, urlFlag } from "../running.ts";
import { print } from "../terminal.ts";

export const command: Command = {
  summary: "print `export …` lines with the addresses and keys of a running emulator, for eval",
  operands: [],
  flags: TARGET_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const url = urlFlag(invocation);
  const addresses = url === undefined ? await neededLocator(invocation) : await statusOf(url);
  const variables = childEnvironment(addresses);
  if (invocation.flags.json === true) print(JSON.stringify(variables));
  else
    for (const [name, value] of Object.entries(variables))
      print(`export ${name}='${value.replaceAll("'", "'\\''")}'`);
  return 0;
}
