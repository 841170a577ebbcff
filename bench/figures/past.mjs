import { call, load, timed } from "../harness/calls.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { openServers } from "../harness/servers.mjs";

const TURNS = 10_000;
const READS = 200;
const STATUS = "/_emulator/v1/status";
const PATH = "/threads/search";

/** Over a world of so many turns that write, each of them a thread. */
async function openPast({ sides, rows: turns = TURNS }) {
  const servers = await openServers([sides[0]], async () => {
    const emulator = await launchEmulator(["--ephemeral", "--rate-limits", "off"]);
    await load(emulator, { origin: emulator.url, method: "POST", path: "/threads", body: {}, count: turns });
    return emulator;
  });
  const server = servers[sides[0]];
  const { turn } = await call(server.url, "GET", STATUS);
  return { server, turn, close: servers.close };
}

function search(url, at) {
  return call(url, "POST", at === undefined ? PATH : `${PATH}?as_of=${at}`, { limit: 10 });
}

export const figures = [
  {
    figure: "the first read as of a turn",
    per: "read",
    rounds: 11,
    sides: ["past"],
    targets: [{ atMost: 50 }],
    async open(order) {
      const { server, turn, close } = await openPast(order);
      // Each round is about a turn that no read was about before, all over the history.
      const round = (_, n) =>
        timed(server, 1, () => search(server.url, turn - (((n + 2) * 769) % (order.rows ?? TURNS))));
      return { round, close };
    },
  },
  {
    figure: "a further read as of a turn",
    per: "read",
    rounds: 11,
    sides: ["past", "present"],
    targets: [{ against: "present", cost: 2 }],
    async open(order) {
      const { server, turn, close } = await openPast(order);
      const at = { past: turn - 1, present: undefined };
      const reads = async (side) => {
        for (let n = 0; n < READS; n += 1) await search(server.url, at[side]);
      };
      await reads("past");
      return { round: (side) => timed(server, READS, () => reads(side)), close };
    },
  },
];
