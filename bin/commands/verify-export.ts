import { clientCommand, STOPPED_THERE } from "../client-command.ts";
import { verifyExport } from "../long-work.ts";
import { verdictLines } from "../terminal.ts";

export const command = clientCommand({
  summary:
    "read the Parquet files of an export and check that they are complete and correct; `emulator export list` lists the ids",
  operands: ["<export id>"],
  reads: true,
  unit: "files",
  whenStopped: STOPPED_THERE,
  send: (world, { operands: [id = ""] }, work) => verifyExport(world, work, id),
  lines: (verdict, { operands: [id = ""] }) => verdictLines(id, verdict),
  isGood: ({ ok }) => ok,
});
