import { join } from "node:path";
import { call, load, timed } from "../harness/calls.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { openServers } from "../harness/servers.mjs";
import { signed } from "../harness/signed.mjs";

const TURNS = 10_000;
const ROWS = 200_000;
/** So many times rows are written between the turns. */
const BLOCKS = 10;
const OBJECTS = 1_000;
const READS = 200;
const STATUS = "/_emulator/v1/status";
const KEY = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };

/** What is read of a server at a turn; of the present without one. */
const KINDS = [
  { what: "threads", read: ({ url }, at) => call(url, "POST", asOf("/threads/search", at), { limit: 10 }) },
  { what: "a row by its id", read: ({ url, row }, at) => call(url, "GET", asOf(`/runs/${row}`, at)) },
  {
    what: "a page of rows",
    read: ({ url, session }, at) =>
      call(url, "POST", asOf("/runs/query", at), { session: [session], limit: 10 }),
  },
  {
    what: "a page of objects",
    async read({ s3Url, page }, at) {
      const headers = { ...page.headers, ...(at !== undefined && { "x-emulator-as-of": String(at) }) };
      const reply = await fetch(s3Url + page.path, { headers });
      if (!(await reply.text()).includes("<Key>")) throw new Error(`GET ${page.path}: ${reply.status}`);
    },
  },
];

function asOf(path, at) {
  return at === undefined ? path : `${path}?as_of=${at}`;
}

/** A world of so many turns that write, each of them a thread, and of rows and objects between them. */
async function filled(args, turns) {
  const emulator = await launchEmulator([...args, "--rate-limits", "off", "--clock", "frozen"]);
  const { url, s3Url } = emulator;
  const puts = Array.from({ length: OBJECTS }, (_, n) => ({ method: "PUT", path: `/traces/${n}`, bytes: 1 }));
  for (const { method, path, headers } of signed(s3Url, KEY, puts))
    await fetch(s3Url + path, { method, headers, body: "x" });
  let session;
  for (let block = 0; block < BLOCKS; block += 1) {
    const order = { count: ROWS / BLOCKS, project: "shop", seed: block };
    ({ session_id: session } = await call(url, "POST", "/_emulator/v1/traces/generate", order));
    const count = turns / BLOCKS;
    await load(emulator, { origin: url, method: "POST", path: "/threads", body: {}, count });
  }
  const [{ id: row }] = (await call(url, "POST", "/runs/query", { session: [session], limit: 1 })).runs;
  const [page] = signed(s3Url, KEY, [{ method: "GET", path: "/traces", query: { "max-keys": "10" } }]);
  const { turn } = await call(url, "GET", STATUS);
  return { ...emulator, session, row, page, turn };
}

/** Each round is about a turn that no read was about before, all over the history. */
function turnOf({ turn }, turns, n) {
  return turn - (((n + 2) * 769) % turns);
}

const SIDES = ["in memory", "data folder"];

const first = ({ what, read }) => ({
  figure: `the first read of ${what} as of a turn`,
  per: "read",
  rounds: 41,
  sides: SIDES,
  targets: SIDES.map((of) => ({ of, atMost: 50, eachRound: 50, quantity: "cpuMs" })),
  async open({ folder, sides, rows: turns = TURNS }) {
    const servers = await openServers(sides, (side) =>
      filled(side === "in memory" ? ["--ephemeral"] : ["--data", join(folder, "data")], turns),
    );
    for (const side of sides) await read(servers[side]);
    const round = (side, n) =>
      timed(servers[side], 1, () => read(servers[side], turnOf(servers[side], turns, n)));
    return { round, close: servers.close };
  },
});

const further = ({ what, read }) => ({
  figure: `a further read of ${what} as of a turn`,
  per: "read",
  rounds: 11,
  sides: ["past", "present"],
  targets: [{ against: "present", cost: 2 }],
  async open({ rows: turns = TURNS }) {
    const servers = await openServers(["both"], () => filled(["--ephemeral"], turns));
    const { both } = servers;
    const at = { past: both.turn - 1, present: undefined };
    const reads = async (side) => {
      for (let n = 0; n < READS; n += 1) await read(both, at[side]);
    };
    await reads("past");
    return { round: (side) => timed(both, READS, () => reads(side)), close: servers.close };
  },
});

export const figures = KINDS.flatMap((kind) => [first(kind), further(kind)]);
