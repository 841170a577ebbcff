import { type RunningCli, startCli } from "../../support/cli.ts";
import { send } from "../../support/kill-load.ts";
import { descriptorsOf } from "../../support/process-usage.ts";
import { type Soak, soakPart } from "../soak.ts";

// Three hundred worlds in one process: each has what was written to it and nothing else, also after a kill.

const WORLDS = 300;
/** Files of worlds, sockets of this part, and what a process has open in any case; see docs/understand/storage.md. */
const MAX_DESCRIPTORS = 256 + 128;
const CONTROL = "/_emulator/v1";

/** Threads by world. */
type Model = Map<string, number>;

async function ask<T>(soak: Soak, cli: RunningCli, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await send(cli, method, path, body);
  soak.count("requests");
  if (reply.status >= 300) soak.find(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body as T;
}

async function addWorlds(soak: Soak, cli: RunningCli, model: Model): Promise<void> {
  for (let nth = 0; model.size < WORLDS && soak.goesOn(); nth += 1) {
    const names = [...model.keys()];
    const from = nth % 3 === 0 ? undefined : names[soak.random.integer(names.length)];
    const id = `w${nth}-${soak.random.word(6)}`;
    await ask(soak, cli, "POST", `${CONTROL}/worlds`, { id, ...(from !== undefined && { from }) });
    model.set(id, from === undefined ? 0 : (model.get(from) ?? 0));
    soak.count("worlds");
  }
}

async function write(soak: Soak, cli: RunningCli, model: Model): Promise<void> {
  for (const [id, threads] of model) {
    if (!soak.goesOn()) return;
    await ask(soak, cli, "POST", `/w/${id}/threads`, {});
    model.set(id, threads + 1);
    const run = { name: id, run_type: "chain", session_name: "rows", start_time: "2026-02-10T00:00:00Z" };
    await ask(soak, cli, "POST", `/w/${id}/runs`, { id: uuidOf(soak), ...run });
  }
}

function uuidOf({ random }: Soak): string {
  return random.uuid();
}

async function check(soak: Soak, cli: RunningCli, model: Model, when: string): Promise<void> {
  const worlds = await ask<{ id: string }[]>(soak, cli, "GET", `${CONTROL}/worlds`);
  const there = worlds.map(({ id }) => id).filter((id) => id !== "main");
  if (there.toSorted().join() !== [...model.keys()].sort().join())
    soak.find(`${when} there are ${there.length} worlds instead of ${model.size}`);
  for (const [id, threads] of model) {
    const count = await ask<number>(soak, cli, "POST", `/w/${id}/threads/count`, {});
    if (count !== threads) soak.find(`${when} world ${id} has ${count} threads instead of ${threads}`);
    if (soak.isBroken) return;
  }
  const open = descriptorsOf(cli.child);
  if (open > MAX_DESCRIPTORS) soak.find(`${when} ${open} descriptors are open`);
}

await soakPart(["worlds", "requests", "kills"], async (soak) => {
  const model: Model = new Map();
  let cli = await startCli("--data", soak.folder);
  do {
    await addWorlds(soak, cli, model);
    await write(soak, cli, model);
    await check(soak, cli, model, "while it runs");
    await cli.end("SIGKILL");
    soak.count("kills");
    cli = await startCli("--data", soak.folder);
    await check(soak, cli, model, "after a kill");
    const removals = [...model.keys()].filter(() => soak.random.integer(4) === 0);
    for (const id of removals) {
      await ask(soak, cli, "DELETE", `${CONTROL}/worlds/${id}`);
      model.delete(id);
    }
  } while (soak.goesOn());
  const { code } = await cli.end("SIGTERM");
  if (code !== 0) soak.find(`it was stopped with ${code}`);
});
