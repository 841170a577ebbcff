import { asking } from "../asking.ts";
import { verdictLines } from "../verdict.ts";

export const command = asking({
  summary: "read the Parquet files of an export and check that they are complete and correct",
  operands: ["<id>"],
  reads: true,
  ask:
    ({ operands: [id = ""] }) =>
    ({ client }) =>
      client.exports.verify(id),
  lines: (verdict, { operands: [id = ""] }) => verdictLines(id, verdict),
  isGood: ({ ok }) => ok,
});
