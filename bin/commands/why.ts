import { lineOfTurn } from "../../emulator/client/turn-line.ts";
import type { CausedTurn } from "../../emulator/subjects/causes.ts";
import { clientCommand } from "../client-command.ts";

export const command = clientCommand({
  summary:
    "print the turns that led to an export, a run, a delivery, a trace row or an object (bucket/key), or to the value of one of its fields",
  operands: ["<id>", "[field]"],
  reads: true,
  flags: { effects: { help: "also print the turns that followed, oldest first" } },
  send: ({ client }, { operands: [id = "", field], flags }) =>
    client.why(id, { ...(field !== undefined && { field }), effects: flags.effects === true }),
  lines: ({ found, field, chain, complete, effects, effects_total }) => [
    `the turns that led to the current ${field === undefined ? "state" : `value of ${field}`} of ${found}, newest first:`,
    ...chain.map(lineOfCause),
    ...(complete ? [] : ["earlier turns are not in the history of the world"]),
    ...(effects ? [`${effects_total} turns followed:`, ...effects.map(lineOfCause)] : []),
  ],
});

function lineOfCause({ because, ...entry }: CausedTurn): string {
  if (!because) return `  ${lineOfTurn(entry)}`;
  const { kind, ref, of_turn } = because;
  return `  ${lineOfTurn(entry)}; ${kind} ${ref}${of_turn === null ? "" : `, requested by #${of_turn}`}`;
}
