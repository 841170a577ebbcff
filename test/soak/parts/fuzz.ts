import type { FuzzedRequest } from "../../../contracts/engine/target.ts";
import type { Operation } from "../../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../../contracts/spec/operations.ts";
import { fuzzedRequests } from "../../../contracts/targets/fuzz.ts";
import { startCli } from "../../support/cli.ts";
import { HEADERS } from "../../support/emulator.ts";
import { createSender, sendAll } from "../requests.ts";
import { type Soak, soakPart } from "../soak.ts";

// Requests from the table of the OpenAPI document: no request, however malformed, gets a 5xx.

const LANES = 24;
/** Requests of each operation, drawn at once and sent several times in other orders. */
const DRAWN = 60;
const TIMES = 8;
const ROWS = Object.values(OPERATIONS) as readonly Operation[];
const { "content-type": _, ...KEYS } = HEADERS;

async function drawRequests({ random }: Soak): Promise<FuzzedRequest[]> {
  const requests: FuzzedRequest[] = [];
  for (const row of ROWS) requests.push(...(await fuzzedRequests(row, random.integer(2 ** 31), DRAWN)));
  return requests;
}

function* inSomeOrder({ random, goesOn }: Soak, requests: readonly FuzzedRequest[]): Iterator<FuzzedRequest> {
  for (let left = requests.length * TIMES; left > 0 && goesOn(); left -= 1)
    yield requests[random.integer(requests.length)] as FuzzedRequest;
}

await soakPart(["requests", "taken", "refused"], async (soak) => {
  const cli = await startCli("--data", soak.folder, "--clock", "frozen");
  const { send, close } = createSender(cli.ready.url, LANES);
  cli.child.once("exit", (code) => soak.find(`the emulator ended with ${code}`));
  while (soak.goesOn()) {
    await sendAll(LANES, inSomeOrder(soak, await drawRequests(soak)), async (request) => {
      const { status, text } = await send({ ...request, headers: { ...KEYS, ...request.headers } });
      soak.count("requests");
      soak.count(status < 400 ? "taken" : "refused");
      if (status === 0 || (status >= 500 && status !== 501))
        soak.find(`${status} ${text.slice(0, 300)} for ${JSON.stringify(request).slice(0, 2000)}`);
    });
    const { status } = await send({
      method: "POST",
      path: "/_emulator/v1/reset",
      headers: HEADERS,
      body: "{}",
    });
    if (status !== 200) soak.find(`a reset was answered with ${status}`);
  }
  close();
  cli.child.removeAllListeners("exit");
  const { code } = await cli.end("SIGTERM");
  if (code !== 0) soak.find(`it was stopped with ${code}`);
});
