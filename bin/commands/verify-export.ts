import { asking } from "../asking.ts";
import { verified } from "../long-work.ts";
import { verdictLines } from "../terminal.ts";

export const command = asking({
  summary:
    "read the Parquet files of an export and check that they are complete and correct; `emulator export list` lists the ids",
  operands: ["<export id>"],
  reads: true,
  ask:
    ({ operands: [id = ""] }) =>
    (world, work) =>
      verified(world, work, id),
  lines: (verdict, { operands: [id = ""] }) => verdictLines(id, verdict),
  isGood: ({ ok }) => ok,
});
