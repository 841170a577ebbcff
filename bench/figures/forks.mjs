import { call, load, timed } from "../harness/calls.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { openServers } from "../harness/servers.mjs";

const FEW = 1_000;
const MANY = 100_000;
const EACH = 5;
const WORLDS = "/_emulator/v1/worlds";

const KINDS = [
  { kind: "fork", atMost: 20 },
  { kind: "reset of a fork that has written", atMost: 5 },
];

/** With few records and with many, in a data folder. */
export const figures = KINDS.map(({ kind, atMost }) => ({
  figure: kind,
  per: "world",
  rounds: 9,
  quick: { rows: 20_000 },
  sides: [`${MANY} records`, `${FEW} records`],
  targets: [{ atMost }],
  async open({ folder, sides, rows: many = MANY }) {
    const servers = await openServers(sides, async (side) => {
      const emulator = await launchEmulator(["--data", `${folder}/${side}`, "--rate-limits", "off"]);
      const count = side === `${FEW} records` ? FEW : many;
      await load(emulator, { origin: emulator.url, method: "POST", path: "/threads", body: {}, count });
      return emulator;
    });
    return { round: (side) => roundOf(servers[side], kind), close: servers.close };
  },
}));

async function roundOf(server, kind) {
  const { url } = server;
  const worlds = [];
  const fork = async () => {
    worlds.push((await call(url, "POST", WORLDS, { from: "main" })).id);
  };
  const each = async (act) => {
    for (let n = 0; n < EACH; n += 1) await act(worlds[n]);
  };
  if (kind !== "fork") {
    await each(fork);
    await each((world) => call(url, "POST", `/w/${world}/threads`, {}));
  }
  const act = kind === "fork" ? fork : (world) => call(url, "POST", `/w/${world}/_emulator/v1/reset`, {});
  const sample = await timed(server, EACH, () => each(act));
  for (const world of worlds) await call(url, "DELETE", `${WORLDS}/${world}`);
  return sample;
}
