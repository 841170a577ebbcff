import { lineOfTurn } from "../../emulator/client/turn-line.ts";
import type { CausedTurn } from "../../emulator/subjects/causes.ts";
import { asking } from "../asking.ts";

export const command = asking({
  summary: "print the turns that led to an export, a run, a delivery, a trace row or an object (bucket/key)",
  operands: ["<id>"],
  reads: true,
  flags: { effects: { help: "also print the turns that followed, oldest first" } },
  ask:
    ({ operands: [id = ""], flags }) =>
    ({ client }) =>
      client.why(id, { effects: flags.effects === true }),
  lines: ({ found, chain, complete, effects, effects_total }) => [
    `${found}, from the turn that left it as it is back to where that began:`,
    ...chain.map(lineOfCause),
    ...(complete ? [] : ["what led to that is before the history of the world"]),
    ...(effects ? [`${effects_total} turns followed:`, ...effects.map(lineOfCause)] : []),
  ],
});

function lineOfCause({ because, ...entry }: CausedTurn): string {
  if (!because) return `  ${lineOfTurn(entry)}`;
  const { kind, ref, of_turn } = because;
  return `  ${lineOfTurn(entry)}; ${kind} ${ref}${of_turn === null ? "" : `, asked for by #${of_turn}`}`;
}
