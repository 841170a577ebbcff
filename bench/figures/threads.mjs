import { join } from "node:path";
import { load } from "../harness/calls.mjs";
import { launchEmulator, launchPeer } from "../harness/processes.mjs";
import { openServers } from "../harness/servers.mjs";

const REQUESTS = 4_000;
/** The servers that keep threads in a Map; of them, node:http shows how far any server on it can get. */
const MAPS = { "fastify with a Map": "fastify-threads", "node:http with a Map": "node-threads" };

/** `path` with `body`, on the emulator with a data folder and its peers. */
function posting({ figure, path, body, sides, targets }) {
  return {
    figure,
    per: "request",
    rounds: 7,
    // V8 still compiles during the first thousands of requests.
    warmUps: 4,
    sides,
    needs: { vendor: "@langchain/langgraph-api", "fastify with a Map": "fastify" },
    targets,
    async open({ folder, sides: there }) {
      const servers = await openServers(there, (side) => {
        if (side === "emulator")
          return launchEmulator(["--data", join(folder, "data"), "--rate-limits", "on"], {
            EMULATOR_RATE_LIMITS__SCALE: "1000",
          });
        return side === "vendor"
          ? launchPeer("agent-server.mjs", folder)
          : launchPeer("plain-server.mjs", MAPS[side]);
      });
      return {
        round: (side) =>
          load(servers[side], {
            origin: servers[side].url,
            method: "POST",
            path,
            body,
            connections: 10,
            ...(path === "/threads" ? { count: REQUESTS } : { ms: 1_000 }),
          }),
        close: servers.close,
      };
    },
  };
}

export const figures = [
  posting({
    figure: "POST /threads",
    path: "/threads",
    body: {},
    sides: ["emulator", "fastify with a Map", "node:http with a Map"],
    targets: [
      { against: "node:http with a Map", faster: 0.75 },
      { against: "fastify with a Map", faster: 0.6 },
    ],
  }),
  posting({
    figure: "POST /runs/wait",
    path: "/runs/wait",
    body: { assistant_id: "echo", input: { text: "a" } },
    sides: ["emulator", "vendor"],
    targets: [{ against: "vendor", faster: 50 }],
  }),
];
