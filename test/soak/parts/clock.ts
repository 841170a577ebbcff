import { startCli } from "../../support/cli.ts";
import { send } from "../../support/kill-load.ts";
import { soakPart } from "../soak.ts";

// A clock that is asked for more than it can do: other requests, a freeze and the end of the process do not wait.

/** Far more than a slice takes, and far less than what the clock has to do: the machine may be busy. */
const MAX_MS = 10_000;
const CLOCK = "/_emulator/v1/clock";

await soakPart(["requests during a fast clock", "rounds"], async (soak) => {
  for (let round = 0; soak.goesOn(); round += 1) {
    const cli = await startCli("--data", `${soak.folder}/${round}`, "--clock", "frozen");
    const timed = async (method: string, path: string, body?: unknown) => {
      const began = performance.now();
      const reply = await send(cli, method, path, body);
      const took = performance.now() - began;
      soak.count("requests during a fast clock");
      if (took > MAX_MS || reply.status >= 400)
        soak.find(`${method} ${path}: ${reply.status} after ${Math.round(took)} ms`);
      return reply;
    };
    await send(cli, "POST", "/runs/crons", { assistant_id: "echo", schedule: "* * * * *" });
    await send(cli, "POST", `${CLOCK}/flow`, { rate: 1_000_000 });
    for (let nth = 0; nth < 50; nth += 1) await timed("GET", nth % 2 ? "/ok" : CLOCK);
    await timed("POST", `${CLOCK}/freeze`, {});
    await send(cli, "POST", "/runs/crons", { assistant_id: "echo", schedule: "* * * * * *" });
    const advancing = send(cli, "POST", `${CLOCK}/advance`, { by: "P3650D" }).catch(() => undefined);
    for (let nth = 0; nth < 50; nth += 1) await timed("GET", "/ok");
    const began = performance.now();
    const { code } = await cli.end("SIGTERM");
    const took = performance.now() - began;
    if (code !== 0 || took > MAX_MS) soak.find(`it was stopped with ${code} after ${Math.round(took)} ms`);
    await advancing;
    soak.count("rounds");
  }
});
