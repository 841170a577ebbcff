import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "../harness/calls.mjs";
import { launchEmulator, launchPeer } from "../harness/processes.mjs";
import { openServers } from "../harness/servers.mjs";
import { signed } from "../harness/signed.mjs";

const MIB = 1024 * 1024;
const KEYS = 10_000;
const PAGE = 1_000;
const keyOf = (n) => `tiny/${String(n).padStart(6, "0")}`;

const puts = (count, bytes, name) =>
  Array.from({ length: count }, (_, n) => ({ method: "PUT", path: `/traces/${name(n)}`, bytes }));
const gets = (count, name) =>
  Array.from({ length: count }, (_, n) => ({ method: "GET", path: `/traces/${name(n)}` }));
/** Of the first version: s3rver fails to make the tokens of the second one on the Node of today. */
const pages = (keys) =>
  Array.from({ length: Math.ceil(keys / PAGE) }, (_, n) => ({
    method: "GET",
    path: "/traces",
    query: { prefix: "tiny/", marker: n === 0 ? "tiny/" : keyOf(n * PAGE - 1) },
  }));

/** A server that does little more than receive, hash and send: how far any server on node:http can get. */
const BARE = "node:http";

/** What a round asks for, and before the first one; `items` a request stands for. */
const KINDS = [
  {
    what: "PUT of 1 MiB",
    per: "object",
    faster: 1.5,
    isBare: true,
    asked: () => puts(60, MIB, (n) => `mib/${n}`),
  },
  {
    what: "GET of 1 MiB",
    per: "object",
    faster: 1.5,
    isBare: true,
    before: () => puts(10, MIB, (n) => `mib/${n}`),
    asked: () => gets(100, (n) => `mib/${n % 10}`),
  },
  {
    what: "PUT of 64 MiB",
    per: "object",
    faster: 1.5,
    isBare: true,
    targets: [{ against: BARE, faster: 1.2 }],
    asked: () => puts(4, 64 * MIB, (n) => `large/${n}`),
  },
  {
    what: "GET of 64 MiB",
    per: "object",
    faster: 1.5,
    isBare: true,
    before: () => puts(2, 64 * MIB, (n) => `large/${n}`),
    asked: () => gets(4, (n) => `large/${n % 2}`),
  },
  {
    what: "tiny PUTs",
    per: "object",
    faster: 2,
    quick: { warmUps: 0 },
    asked: (keys) => puts(keys, 20, keyOf),
  },
  {
    what: "list of the keys of tiny objects",
    per: "page of 1,000",
    faster: 5,
    before: (keys) => puts(keys, 20, keyOf),
    asked: pages,
  },
];

const LAUNCHED = {
  emulator: (folder) => launchEmulator(["--data", join(folder, "data")]),
  s3rver: (folder) => launchPeer("s3-server.mjs", join(folder, "s3rver")),
  [BARE]: (folder) => launchPeer("bare-object-server.mjs", join(folder, "bare")),
};

function targetOf(side, { url, s3Url }) {
  const ours = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };
  return side === "emulator"
    ? { origin: s3Url, credentials: ours }
    : { origin: url, credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" } };
}

export const figures = KINDS.map(({ what, per, faster, targets = [], quick, before, asked, isBare }) => ({
  figure: `S3: ${what}`,
  per,
  sides: ["emulator", "s3rver", ...(isBare ? [BARE] : [])],
  needs: { s3rver: "s3rver" },
  targets: [
    { against: "s3rver", faster },
    ...(isBare ? [{ of: BARE, against: "s3rver", faster }] : []),
    ...targets,
  ],
  quick,
  async open({ folder, sides, rows: keys = KEYS }) {
    const servers = await openServers(sides, (side) => LAUNCHED[side](folder));
    const send = async (side, requests) => {
      const { origin, credentials } = targetOf(side, servers[side]);
      const file = join(folder, "requests.json");
      await writeFile(file, JSON.stringify(signed(origin, credentials, requests)));
      return load(servers[side], { origin, requests: file, headers: {}, connections: 4 });
    };
    if (before) for (const side of sides) await send(side, before(keys));
    return { round: (side) => send(side, asked(keys)), close: servers.close };
  },
}));
