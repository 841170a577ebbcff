import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { runningWorld } from "../running.ts";
import { printResult } from "../terminal.ts";
import { verdictLines } from "../verdict.ts";

const TIMEOUT_MS = 30 * 60_000;

export const command: Command = {
  summary: "read the Parquet files of an export and check that they are complete and correct",
  operands: ["<id>"],
  flags: WORLD_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const [id = ""] = invocation.operands;
  const { client } = await runningWorld(invocation, TIMEOUT_MS);
  const verdict = await client.exports.verify(id);
  printResult(invocation, verdict, verdictLines(id, verdict));
  return verdict.ok ? 0 : 1;
}
