import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { statusOf, targetUrl } from "../running.ts";
import { print } from "../terminal.ts";

export const command: Command = {
  summary: "say what runs, and where",
  operands: [],
  flags: WORLD_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const status = await statusOf(await targetUrl(invocation));
  if (invocation.flags.quiet === true) return 0;
  if (invocation.flags.json === true) print(JSON.stringify(status));
  else for (const [name, value] of Object.entries(status)) print(`${name.padEnd(12)} ${formatValue(value)}`);
  return 0;
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
