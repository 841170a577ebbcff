import fc from "fast-check";
import { anyRequest } from "../../s3/odd-requests.ts";
import { sendSigned } from "../../s3/signed-request.ts";
import { startCli } from "../../support/cli.ts";
import { sendAll } from "../requests.ts";
import { soakPart } from "../soak.ts";

// Signed requests to the object store that no SDK would make: none gets a 5xx, except for operations that are not implemented.

const LANES = 16;
const DRAWN = 2000;

await soakPart(["requests", "taken"], async (soak) => {
  const cli = await startCli("--data", soak.folder);
  const server = { port: Number(new URL(cli.ready.s3_url).port) };
  while (soak.goesOn()) {
    const requests = fc.sample(anyRequest, { seed: soak.random.integer(2 ** 31), numRuns: DRAWN });
    await sendAll(LANES, requests.values(), async (request) => {
      if (!soak.goesOn()) return;
      const { status, text } = await sendSigned(server, request).catch((error: unknown) => ({
        status: 0,
        text: String(error),
      }));
      soak.count("requests");
      if (status >= 200 && status < 300) soak.count("taken");
      if (status === 0 || (status >= 500 && status !== 501))
        soak.find(`${status} ${text.slice(0, 300)} for ${JSON.stringify(request)}`);
    });
  }
  const { code } = await cli.end("SIGTERM");
  if (code !== 0) soak.find(`it was stopped with ${code}`);
});
