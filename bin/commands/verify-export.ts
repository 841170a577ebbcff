import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { callControl } from "../control-client.ts";
import { targetUrl } from "../running.ts";
import { print } from "../terminal.ts";
import { type Verdict, verdictLines } from "../verdict.ts";

const TIMEOUT_MS = 30 * 60_000;

export const command: Command = {
  summary: "read the Parquet files of an export back and prove them complete and correct",
  operands: ["<id>"],
  flags: WORLD_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags, operands } = invocation;
  const id = operands[0] ?? "";
  const url = await targetUrl(invocation);
  const path = `/_emulator/v1/exports/${encodeURIComponent(id)}/verify`;
  const verdict = await callControl<Verdict>(url, path, { timeoutMs: TIMEOUT_MS });
  if (flags.json === true) print(JSON.stringify(verdict));
  else if (flags.quiet !== true) for (const line of verdictLines(id, verdict)) print(line);
  return verdict.ok ? 0 : 1;
}
