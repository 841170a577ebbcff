import { AS_OF_FLAG, type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { readWorld } from "../running.ts";
import { aligned, printResult } from "../terminal.ts";

export const command: Command = {
  summary: "print the addresses, version, clock and contents of a running emulator",
  operands: [],
  flags: { ...WORLD_FLAGS, ...AS_OF_FLAG },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { client } = await readWorld(invocation);
  const status = await client.status();
  if (invocation.flags.quiet !== true) printResult(invocation, status, aligned(rowsOf(status)));
  return 0;
}

/** A row for each member; those of an object have its name before theirs. */
function rowsOf(value: object, parent = ""): readonly (readonly [string, string])[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const label = parent === "" ? name : `${parent}.${name}`;
    if (Array.isArray(member)) return [[label, member.length === 0 ? "none" : member.map(cellOf).join(", ")]];
    return typeof member === "object" && member !== null ? rowsOf(member, label) : [[label, cellOf(member)]];
  });
}

function cellOf(value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? Object.values(value).map(cellOf).join(" ") : String(value);
}
