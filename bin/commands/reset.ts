import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { callControl } from "../control-client.ts";
import { targetUrl } from "../running.ts";
import { print } from "../terminal.ts";

export const command: Command = {
  summary: "make the world as a fresh one, with the seed data of its configuration",
  operands: [],
  flags: { ...WORLD_FLAGS, empty: { help: "without the seed data" } },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  const url = await targetUrl(invocation);
  const body = flags.empty === true ? { empty: true } : {};
  const answer = await callControl<unknown>(url, "/_emulator/v1/reset", { method: "POST", body });
  if (flags.json === true) print(JSON.stringify(answer));
  else if (flags.quiet !== true) print(`${url} is as fresh`);
  return 0;
}
