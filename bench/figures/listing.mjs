import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { call, HEADERS, load } from "../harness/calls.mjs";
import { launchEmulator, launchPeer } from "../harness/processes.mjs";
import { emptied, openServers, settled } from "../harness/servers.mjs";
import { batchBody, PROJECT } from "../rows.mjs";

const RUNS = 1_000;
const PAGE_BYTES = 8_704;
const ROUND_MS = 1_000;

/** One URL again and again, and pages with a URL of their own. */
const KINDS = [
  {
    what: "",
    paths: (path) => [path],
    sides: ["emulator", "fastify", "vendor", "express", "node"],
    targets: [
      { against: "fastify", faster: 1 },
      { against: "vendor", faster: 8 },
      { against: "express", faster: 1 },
    ],
  },
  {
    what: ", pages in turn",
    paths: (path) => Array.from({ length: RUNS - 10 }, (_, offset) => `${path}&offset=${offset}`),
    sides: ["emulator", "fastify"],
    targets: [{ against: "fastify", faster: 1 }],
  },
];

/** The plain servers send a copy of the emulator's reply, and store and check nothing. */
const ofThreads = KINDS.map(({ what, paths: pagesOf, ...figure }) => ({
  ...figure,
  figure: `list 10 of ${RUNS} runs${what}`,
  per: "request",
  rounds: 7,
  warmUps: 2,
  quick: { warmUps: 1 },
  needs: { fastify: "fastify", vendor: "@langchain/langgraph-api" },
  async open({ folder, sides }) {
    const file = join(folder, "page.json");
    const paths = {};
    const servers = await openServers(sides, async (side) => {
      if (side === "emulator") {
        // Rate limits are on, and too high to be reached.
        const emulator = await launchEmulator(["--data", join(folder, "data"), "--rate-limits", "on"], {
          EMULATOR_RATE_LIMITS__SCALE: "1000",
        });
        paths[side] = await threadWith(emulator.url, emptied);
        await writeFile(file, JSON.stringify(await call(emulator.url, "GET", paths[side])));
        return emulator;
      }
      if (side !== "vendor") return launchPeer("plain-server.mjs", side, file);
      const vendor = await launchPeer("agent-server.mjs", folder);
      paths[side] = await threadWith(vendor.url);
      return vendor;
    });
    const round = async (side) => {
      const requests = join(folder, `requests-${side}.json`);
      const pages = pagesOf(paths[side] ?? paths.emulator);
      await writeFile(
        requests,
        JSON.stringify(pages.map((path) => ({ method: "GET", path, headers: HEADERS }))),
      );
      const { url: origin } = servers[side];
      return load(servers[side], { origin, requests, connections: 10, ms: ROUND_MS });
    };
    return { round, close: servers.close };
  },
}));

/** Pages of trace rows, each by the cursor of the page before; the plain server sends a copy of one. */
const byCursors = {
  figure: `list 10 of ${RUNS} rows of 2.7 KB, by cursors`,
  per: "request",
  rounds: 7,
  warmUps: 2,
  quick: { warmUps: 1 },
  sides: ["emulator", "fastify"],
  needs: { fastify: "fastify" },
  targets: [{ against: "fastify", faster: 1 }],
  async open({ folder, sides }) {
    const [page, requests] = [join(folder, "page.json"), join(folder, "requests.json")];
    const servers = await openServers(sides, async (side) => {
      if (side !== "emulator") return launchPeer("plain-server.mjs", side, page);
      const emulator = await launchEmulator(["--data", join(folder, "data"), "--rate-limits", "on"]);
      // Requests are counted, and the limit is too high to be reached.
      await call(emulator.url, "PUT", "/_emulator/v1/rate-limits/runs_query_key", { count: 1_000_000 });
      await call(emulator.url, "POST", "/runs/batch", batchBody(0, RUNS, PROJECT));
      const queries = [];
      for (let cursor; cursor !== null; ) {
        queries.push(JSON.stringify({ session: [PROJECT], limit: 10, cursor }));
        const reply = await call(emulator.url, "POST", "/runs/query", queries.at(-1));
        if (cursor === undefined) await writeFile(page, JSON.stringify(reply));
        cursor = reply.cursors.next;
      }
      const asked = queries.map((text) => ({ method: "POST", path: "/runs/query", headers: HEADERS, text }));
      await writeFile(requests, JSON.stringify(asked));
      return emulator;
    });
    const round = (side) =>
      load(servers[side], { origin: servers[side].url, requests, connections: 10, ms: ROUND_MS });
    return { round, close: servers.close };
  },
};

export const figures = [...ofThreads, byCursors];

/** Creates a thread with ended runs, sized so that ten fill a page of the same bytes; resolves with the path of its first page. */
async function threadWith(url, prepare = async () => {}) {
  const create = (thread, text) =>
    call(url, "POST", `/threads/${thread}/runs`, {
      assistant_id: "echo",
      input: { text },
      multitask_strategy: "enqueue",
    });
  const probe = await call(url, "POST", "/threads", {});
  // Two: the first run of a thread leaves metadata on it that all later ones carry.
  for (let made = 0; made < 2; made += 1) await create(probe.thread_id, "");
  await settled(url, probe.thread_id);
  const probed = await call(url, "GET", `/threads/${probe.thread_id}/runs`);
  const bytes = Math.max(...probed.map((run) => JSON.stringify(run).length));
  const text = "x".repeat(Math.max(0, Math.round((PAGE_BYTES - 11) / 10) - bytes));
  const { thread_id } = await call(url, "POST", "/threads", {});
  await prepare(url, thread_id);
  for (let made = 0; made < RUNS; made += 50)
    await Promise.all(Array.from({ length: 50 }, () => create(thread_id, text)));
  await settled(url, thread_id);
  return `/threads/${thread_id}/runs?limit=10`;
}
