import { call, load, timed } from "../harness/calls.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { openServers } from "../harness/servers.mjs";
import { PROJECT, uuidOf } from "../rows.mjs";

const FEW = 10_000;
const MANY = 1_000_000;
const ROWS_PER_REQUEST = 100;
const CHANGED = 10;
const WORLDS = "/_emulator/v1/worlds";

/** The rows of both worlds are of one day. */
export const figures = [
  {
    figure: `diff of a fork with ${CHANGED} changed rows`,
    per: "diff",
    rounds: 9,
    minutes: 30,
    quick: { rows: 200_000 },
    sides: [`${MANY} rows`, `${FEW} rows`],
    targets: [{ against: `${FEW} rows`, cost: 3 }, { atMost: 200 }],
    async open({ folder, sides, rows: many = MANY }) {
      const servers = await openServers(sides, async (side) => {
        const emulator = await launchEmulator(["--data", `${folder}/${side}`, "--rate-limits", "off"]);
        await load(emulator, {
          origin: emulator.url,
          method: "POST",
          path: "/runs/batch",
          bodies: { kind: "batch", rows: ROWS_PER_REQUEST, session: PROJECT, from: 0 },
          count: (side === `${FEW} rows` ? FEW : many) / ROWS_PER_REQUEST,
          itemsPerRequest: ROWS_PER_REQUEST,
        });
        return emulator;
      });
      return { round: (side) => roundOf(servers[side]), close: servers.close };
    },
  },
];

async function roundOf(server) {
  const { url } = server;
  const { id } = await call(url, "POST", WORLDS, { from: "main" });
  for (let n = 0; n < CHANGED; n += 1)
    await call(url, "PATCH", `/w/${id}/runs/${uuidOf(1, n)}`, { outputs: { text: "changed" } });
  const sample = await timed(server, 1, async () => {
    const { rows } = await call(url, "GET", `${WORLDS}/main/diff?with=${id}`);
    if (rows.changed !== CHANGED) throw new Error(`${rows.changed} rows differ`);
  });
  await call(url, "DELETE", `${WORLDS}/${id}`);
  return sample;
}
