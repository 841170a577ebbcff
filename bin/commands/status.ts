import { AS_OF_FLAG, type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { readWorld } from "../running.ts";
import { printResult } from "../terminal.ts";

export const command: Command = {
  summary: "print the addresses, version, clock and contents of a running emulator",
  operands: [],
  flags: { ...WORLD_FLAGS, ...AS_OF_FLAG },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { client } = await readWorld(invocation);
  const status = await client.status();
  const lines = Object.entries(status).map(([name, value]) => `${name.padEnd(12)} ${formatValue(value)}`);
  if (invocation.flags.quiet !== true) printResult(invocation, status, lines);
  return 0;
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
