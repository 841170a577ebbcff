import { join } from "node:path";
import { call, HEADERS, timed } from "../harness/calls.mjs";
import { fromSource } from "../harness/from-source.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { openServers } from "../harness/servers.mjs";
import { BODIES, formOf } from "../rows.mjs";

const ROWS = 4_000;
const ROWS_PER_REQUEST = 100;
const CONNECTIONS = 4;
const WINDOW = { from: "2026-02-25T00:00:00Z", to: "2026-02-26T00:00:00Z" };

/** Sample rows that the emulator makes itself, and the same rows as a client sends them. Each round has another seed. */
const generating = (shape) => ({
  figure: `traces generate --shape ${shape}`,
  per: "row",
  rounds: 7,
  warmUps: 2,
  sides: ["generate", "POST /runs/multipart"],
  targets: [{ against: "POST /runs/multipart", cost: 0.7, quantity: "cpuMs" }],
  async open({ folder, sides, rows = ROWS }) {
    const { sampleTraces } = await fromSource("emulator/subjects/traces/sample.ts");
    const servers = await openServers(sides, (side) =>
      launchEmulator(["--data", join(folder, side.replaceAll("/", "-")), "--rate-limits", "off"]),
    );
    return {
      close: servers.close,
      round(side, n) {
        const order = { count: rows, seed: n + 10, shape, ...WINDOW };
        const server = servers[side];
        if (side === "generate")
          return timed(server, rows, () => call(server.url, "POST", "/_emulator/v1/traces/generate", order));
        const bodies = bodiesOf([...sampleTraces({ ...order, sessionName: "samples" }).posts]);
        return timed(server, rows, () => sendAll(server.url, bodies));
      },
    };
  },
});

function bodiesOf(posts) {
  const bodies = [];
  for (let at = 0; at < posts.length; at += ROWS_PER_REQUEST)
    bodies.push(formOf(posts.slice(at, at + ROWS_PER_REQUEST)));
  return bodies;
}

async function sendAll(url, bodies) {
  const headers = { ...HEADERS, "content-type": BODIES.multipart.contentType };
  async function sendSome() {
    for (let body = bodies.shift(); body; body = bodies.shift()) {
      const reply = await fetch(`${url}/runs/multipart`, { method: "POST", headers, body });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`POST /runs/multipart: ${reply.status} ${text}`);
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
}

export const figures = ["mixed", "bench"].map(generating);
