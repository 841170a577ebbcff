import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCli } from "../../support/cli.ts";
import { DESTINATION, HEADERS } from "../../support/emulator.ts";
import { HOSTILE_SERVERS, type Hostility } from "../../support/hostile-servers.ts";
import { createSender } from "../requests.ts";
import { soakPart } from "../soak.ts";

// Servers that never end what they send: each delivery and each test write ends, the clock moves, and other requests are answered.

const NAMES = Object.keys(HOSTILE_SERVERS) as Hostility[];
const SETTINGS = {
  timings: {
    object_store_timeout: "PT0.5S",
    webhook_connect_timeout: "PT0.5S",
    webhook_read_timeout: "PT0.5S",
  },
};
const ADVANCE = "/_emulator/v1/clock/advance";

await soakPart(["deliveries", "test writes", "requests meanwhile"], async (soak) => {
  const config = join(soak.folder, "emulator.config.json");
  writeFileSync(config, JSON.stringify(SETTINGS));
  const cli = await startCli("--data", join(soak.folder, "data"), "--config", config);
  const { send, close } = createSender(cli.ready.url, 4);
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, headers: HEADERS, ...(json !== undefined && { body: JSON.stringify(json) }) });

  async function meet(name: Hostility): Promise<void> {
    const server = await HOSTILE_SERVERS[name]();
    const destination = { ...DESTINATION, config: { ...DESTINATION.config, endpoint_url: server.url } };
    let isMet = false;
    const meeting = Promise.all([
      ask("POST", "/api/v1/bulk-exports/destinations", destination),
      ask("POST", "/runs/wait", { assistant_id: "echo", input: {}, webhook: server.url }),
    ]).finally(() => {
      isMet = true;
    });
    while (!isMet) {
      const { status } = await ask("GET", "/ok");
      soak.count("requests meanwhile");
      if (status !== 200) soak.find(`${name}: GET /ok was answered with ${status}`);
    }
    const [written, run] = await meeting;
    soak.count("test writes");
    if (written.status !== 200 && written.status !== 400)
      soak.find(`${name}: the test write was answered with ${written.status} ${written.text.slice(0, 300)}`);
    if (run.status !== 200) soak.find(`${name}: the run was answered with ${run.status}`);
    const advance = await ask("POST", ADVANCE, { by: "P1D" });
    const { settled } = JSON.parse(advance.text || "{}") as { settled?: boolean };
    if (advance.status !== 200 || settled === false)
      soak.find(`${name}: the advance was answered with ${advance.status} ${advance.text.slice(0, 300)}`);
    const pending = await ask("GET", "/_emulator/v1/webhooks/deliveries?status=pending");
    soak.count("deliveries");
    if (pending.text.trim() !== "[]")
      soak.find(`${name}: a delivery is pending: ${pending.text.slice(0, 300)}`);
    await server.close();
  }

  while (soak.goesOn()) await meet(NAMES[soak.random.integer(NAMES.length)] as Hostility);
  close();
  const { code } = await cli.end("SIGTERM");
  if (code !== 0) soak.find(`it was stopped with ${code}`);
});
