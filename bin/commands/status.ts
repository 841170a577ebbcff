import { clientCommand } from "../client-command.ts";
import { aligned } from "../terminal.ts";

export const command = clientCommand({
  summary: "print the addresses, version, clock and contents of a running emulator",
  reads: true,
  send: ({ client }) => client.status(),
  lines: (status) => aligned(rowsOf(status)),
});

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
