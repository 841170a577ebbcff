import { lineOfTurn } from "../../emulator/client/turn-line.ts";
import type { CausedTurn } from "../../emulator/subjects/causes.ts";
import { clientCommand } from "../client-command.ts";

export const command = clientCommand({
  summary:
    "print the turns that led to the present state of a record (such as an export, a run, a thread or a delivery), a trace row or an object; with a field, to the value of this field",
  operands: ["<id or bucket/key>", "[field]"],
  reads: true,
  flags: {
    effects: { help: "also print the turns that resulted from the turn that created it, oldest first" },
  },
  send: ({ client }, { operands: [id = "", field], flags }) =>
    client.why(id, { ...(field !== undefined && { field }), effects: flags.effects === true }),
  lines: ({ found, field, waits, chain, complete, effects, effects_total }) => [
    ...(waits === undefined ? [] : [waits]),
    `the turns that led to the current ${field === undefined ? "state" : `value of ${field}`} of ${found}, newest first:`,
    ...chain.map(lineOfCause),
    ...(complete ? [] : ["earlier turns are not in the history of the world"]),
    ...(effects ? [`it caused ${effects_total} turns:`, ...effects.map(lineOfCause)] : []),
  ],
});

function lineOfCause({ because, ...entry }: CausedTurn): string {
  if (!because) return `  ${lineOfTurn(entry)}`;
  const { kind, ref, of_turn } = because;
  return `  ${lineOfTurn(entry)}; ${kind} ${ref}${of_turn === null ? "" : `, requested by #${of_turn}`}`;
}
