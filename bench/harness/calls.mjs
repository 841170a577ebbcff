import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { cpuMsOf, launch } from "./processes.mjs";

export const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};

/** A request as `fetch` would send it, which gives up on a reply that takes minutes. */
export function call(origin, method, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(origin + path, { method, headers: HEADERS }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      reply.once("error", reject).once("end", () => {
        if (reply.statusCode >= 300) reject(new Error(`${method} ${path}: ${reply.statusCode} ${text}`));
        else resolve(text === "" ? undefined : JSON.parse(text));
      });
    });
    sent.once("error", (error) => {
      // The server has closed an idle connection while the request was sent on it.
      if (sent.reusedSocket && error.code === "ECONNRESET")
        call(origin, method, path, body).then(resolve, reject);
      else reject(error);
    });
    sent.end(typeof body === "object" ? JSON.stringify(body) : body);
  });
}

/** What an act takes: its time, and the processor time of the processes that serve it. */
export async function timed(launched, items, act) {
  const before = cpuMsOf(launched.family());
  const began = performance.now();
  await act();
  const wallMs = performance.now() - began;
  return { items, wallMs, cpuMs: cpuMsOf(launched.family()) - before };
}

const CLIENT = fileURLToPath(new URL("./load-client.mjs", import.meta.url));

/** What it takes a server to answer the requests of an order (see `load-client.mjs`), sent by a process of its own. */
export async function load(launched, order) {
  const client = await launch(CLIENT, [JSON.stringify({ connections: 4, headers: HEADERS, ...order })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const before = cpuMsOf(launched.family());
  const result = new Promise((resolve, reject) => {
    let text = "";
    client.child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.endsWith("\n")) resolve(JSON.parse(text));
    });
    client.child.once("exit", (code) => reject(new Error(`the load client ended with ${code}`)));
  });
  client.child.stdin.write("go\n");
  const { requests, failed, wallMs, first } = await result;
  const cpuMs = cpuMsOf(launched.family()) - before;
  client.child.stdin.end();
  if (failed > 0)
    throw new Error(`${failed} of ${requests} replies of ${order.origin} were refusals: ${first}`);
  return { items: requests * (order.itemsPerRequest ?? 1), wallMs, cpuMs };
}
