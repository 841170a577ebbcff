import { once } from "node:events";
import { join } from "node:path";
import { type RunningCli, startCli, startCliIn } from "../../support/cli.ts";
import { DESTINATION } from "../../support/emulator.ts";
import {
  type Acknowledgements,
  findLost,
  noAcknowledgements,
  SESSION,
  send,
  writeUntilKilled,
} from "../../support/kill-load.ts";
import { environmentToKillInWrite } from "../../support/torn-write.ts";
import { type Soak, soakPart } from "../soak.ts";

// Kills processes in the middle of writes: whatever was acknowledged is there afterwards, and exports are right.

const ROUNDS_PER_FOLDER = 12;
const MAX_WRITES = 250;
const MAX_RESPONSES = 250;
const DAY = { start_time: "2026-02-10T00:00:00Z", end_time: "2026-02-11T00:00:00Z" };

/** Starts a process, which dies by itself in some write; undefined when that was before it was ready. */
async function startDoomed({ random }: Soak, folder: string): Promise<RunningCli | undefined> {
  const env = environmentToKillInWrite(1 + random.integer(MAX_WRITES), random.integer(4) / 3);
  return startCliIn(env, "--data", folder).catch(() => undefined);
}

/** Loads a process until it dies, or is killed after so many answers. */
async function loadUntilKilled(
  soak: Soak,
  cli: RunningCli,
  round: number,
  acknowledgements: Acknowledgements,
) {
  let left = 1 + soak.random.integer(MAX_RESPONSES);
  const ended = once(cli.child, "exit") as Promise<[number | null, string | null]>;
  await writeUntilKilled(cli, round, acknowledgements, () => {
    left -= 1;
    if (left === 0) cli.child.kill("SIGKILL");
  });
  const [code, signal] = await ended;
  if (signal !== "SIGKILL") soak.find(`round ${round}: it ended by itself with ${code ?? signal}`);
}

async function verifyExport(soak: Soak, cli: RunningCli): Promise<void> {
  const reply = await send(cli, "POST", "/api/v1/bulk-exports/destinations", DESTINATION);
  const { id } = (
    await send(cli, "POST", "/api/v1/bulk-exports", {
      bulk_export_destination_id: (reply.body as { id: string }).id,
      session_id: SESSION,
      ...DAY,
    })
  ).body as { id: string };
  await send(cli, "POST", "/_emulator/v1/clock/freeze", {});
  const until = { export: id, status: "COMPLETED" };
  await send(cli, "POST", "/_emulator/v1/clock/advance", { until });
  const { body } = await send(cli, "GET", `/_emulator/v1/exports/${id}/verify`);
  const verdict = body as { ok: boolean };
  if (!verdict.ok) soak.find(`the oracle: ${JSON.stringify(verdict).slice(0, 1000)}`);
  soak.count("verified exports");
}

function merge(into: Acknowledgements, from: Acknowledgements): void {
  for (const [id, name] of from.rows) into.rows.set(id, name);
  for (const name of from.projects) into.projects.add(name);
  for (const [key, body] of from.objects) into.objects.set(key, body);
}

/** Rounds in one data folder; each start is also the look at what the rounds before have left. */
async function rounds(soak: Soak, folder: string, first: number): Promise<void> {
  const all = noAcknowledgements();
  let pending = noAcknowledgements();
  for (let round = first; round < first + ROUNDS_PER_FOLDER && soak.goesOn(); round += 1) {
    const cli =
      soak.random.integer(3) > 0 ? await startDoomed(soak, folder) : await startCli("--data", folder);
    soak.count("kills");
    // A process that dies during the check reports no loss; the next one does.
    const losses = cli && (await findLost(cli, pending).catch(() => undefined));
    for (const each of losses ?? []) soak.find(`before round ${round} was lost: ${each}`);
    if (!cli || !losses) continue;
    merge(all, pending);
    pending = noAcknowledgements();
    await loadUntilKilled(soak, cli, round, pending);
    soak.count("acknowledged writes", pending.rows.size + pending.projects.size + pending.objects.size);
  }
  merge(all, pending);
  const last = await startCli("--data", folder);
  for (const each of await findLost(last, all))
    soak.find(`by round ${first + ROUNDS_PER_FOLDER} was lost: ${each}`);
  if (all.rows.size > 0) await verifyExport(soak, last);
  const { code } = await last.end("SIGTERM");
  if (code !== 0) soak.find(`after round ${first} it was stopped with ${code}`);
}

await soakPart(["kills", "acknowledged writes", "verified exports"], async (soak) => {
  for (let first = 1; soak.goesOn(); first += ROUNDS_PER_FOLDER)
    await rounds(soak, join(soak.folder, `data-${first}`), first);
});
