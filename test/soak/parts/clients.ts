import { startCli } from "../../support/cli.ts";
import { HEADERS } from "../../support/emulator.ts";
import { createSender } from "../requests.ts";
import { soakPart } from "../soak.ts";

// Five hundred clients at once, each on a connection of its own: all are answered, and all they wrote is there.

const CLIENTS = 500;
const SESSION = "99999999-0000-4000-8000-000000000002";

await soakPart(["rounds of 500 clients", "requests"], async (soak) => {
  const cli = await startCli("--data", soak.folder);
  const { send, close } = createSender(cli.ready.url, CLIENTS);
  const ask = async (method: string, path: string, json?: unknown): Promise<string> => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const { status, text } = await send({ method, path, headers: HEADERS, ...body });
    soak.count("requests");
    if (status < 200 || status > 299) soak.find(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return text;
  };
  let rows = 0;
  for (let round = 1; soak.goesOn(); round += 1) {
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const id = `${String(round).padStart(8, "0")}-0000-4000-8000-${String(client).padStart(12, "0")}`;
        const start_time = "2026-02-10T00:00:00Z";
        const run = { id, name: "row", run_type: "chain", session_id: SESSION, start_time };
        await ask("POST", "/runs/batch", { post: [run] });
        await ask("POST", "/threads", { thread_id: id });
        await ask("GET", `/runs/${id}`);
        await ask("GET", `/threads/${id}`);
      }),
    );
    rows += CLIENTS;
    soak.count("rounds of 500 clients");
    const threads = Number(await ask("POST", "/threads/count", {}));
    const { traces } = JSON.parse(await ask("GET", "/_emulator/v1/status")) as { traces: { rows: number } };
    if (threads !== rows || traces.rows !== rows)
      soak.find(`${rows} rows and threads were acknowledged; there are ${traces.rows} and ${threads}`);
  }
  close();
  const { code } = await cli.end("SIGTERM");
  if (code !== 0) soak.find(`it was stopped with ${code}`);
});
