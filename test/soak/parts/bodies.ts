import { sendSigned } from "../../s3/signed-request.ts";
import { HEADERS } from "../../support/emulator.ts";
import { type MeteredServer, startMetered } from "../metered-server.ts";
import { createSender } from "../requests.ts";
import { type Soak, soakPart } from "../soak.ts";
import { bodiesOfOperations, ID, otherBodies, type WorstBody } from "../worst-bodies.ts";

// Bodies that cost as much as their bytes allow, sent to a server with a heap of 512 MB: it answers each of them, without a 5xx,
// names the setting of a limit, and stays free for other requests.

const MB = 1e6;
/** Below the 20 MiB that a body may have. */
const LARGE_BYTES = 20 * MB;
const SMALL_BYTES = 250_000;
/** The goal is 100 ms for each MB; a busy machine takes several times as long. */
const MAX_BUSY_MS_PER_MB = 400;
/** The goal is 20 bytes for each byte. What the allocator keeps for later does not depend on the body. */
const MAX_GROWTH = 20;
const SPARE_BYTES = 250 * MB;
/** One of so many bodies of operations is sent: their order is the same in each run, the first one is drawn. */
const STEP = 97;

const THREADS = 300;

interface Worst {
  msPerMb: number;
  growth: number;
}

async function prepare(send: ReturnType<typeof createSender>["send"]): Promise<void> {
  const run = { id: ID, name: "a", run_type: "chain", start_time: "2026-03-01T00:00:00Z" };
  for (const [path, body] of [
    ["/threads", { thread_id: ID }],
    ["/runs", run],
  ] as const)
    await send({ method: "POST", path, headers: HEADERS, body: JSON.stringify(body) });
  // A search compares its members with those of each thread.
  for (let number = 0; number < THREADS; number += 1)
    await send({ method: "POST", path: "/threads", headers: HEADERS, body: '{"metadata":{"a":1}}' });
}

/** Sends a body, and says what is wrong with the reply or its costs. */
async function tryBody(
  { ready, measure }: MeteredServer,
  send: ReturnType<typeof createSender>["send"],
  { method, path, headers, isS3, ...each }: WorstBody,
  worst: Worst,
): Promise<string | undefined> {
  const body = each.body();
  await measure("reset");
  const [target, search = ""] = path.split("?");
  const { status, text } = isS3
    ? await sendSigned(
        { port: Number(new URL(ready.s3_url).port) },
        {
          method,
          path: target ?? "",
          query: Object.fromEntries(new URLSearchParams(search)),
          body: String(body),
        },
      )
    : await send({ method, path, headers: { ...HEADERS, ...headers }, body });
  const { busyMs, blockedMs, grownBytes } = await measure("read");
  const megabytes = Math.max(1, Buffer.byteLength(body) / MB);
  const msPerMb = Math.round((busyMs || blockedMs) / megabytes);
  worst.msPerMb = Math.max(worst.msPerMb, msPerMb);
  worst.growth = Math.max(worst.growth, Math.round(grownBytes / MB / megabytes));
  if (status === 0 || (status >= 500 && status !== 501)) return `${status} ${text.slice(0, 300)}`;
  if (status === 413 && !/limits\.\w+|larger than|EntityTooLarge/.test(text))
    return `413 without a setting: ${text}`;
  if (msPerMb > MAX_BUSY_MS_PER_MB) return `it kept the event loop busy for ${msPerMb} ms per MB`;
  if (grownBytes > MAX_GROWTH * megabytes * MB + SPARE_BYTES)
    return `its memory grew by ${Math.round(grownBytes / MB)} MB for ${Math.round(megabytes)} MB`;
  return undefined;
}

function* bodies({ random, goesOn }: Soak): Iterable<WorstBody> {
  yield* otherBodies(LARGE_BYTES);
  yield* otherBodies(SMALL_BYTES);
  while (goesOn()) {
    let left = random.integer(STEP);
    for (const body of bodiesOfOperations(random.integer(4) === 0 ? 4 * MB : SMALL_BYTES)) {
      if (left-- > 0) continue;
      left = STEP;
      yield body;
    }
  }
}

await soakPart(["bodies", "ms per MB at most", "times the body in memory at most"], async (soak) => {
  const server = await startMetered("--data", soak.folder, "--clock", "frozen");
  let isAlive = true;
  const onEarlyExit = (code: number | null, signal: string | null) => {
    isAlive = false;
    soak.find(`the emulator ended with ${code ?? signal}`);
  };
  server.child.once("exit", onEarlyExit);
  const { send, close } = createSender(server.ready.url, 2);
  await prepare(send);
  const worst: Worst = { msPerMb: 0, growth: 0 };
  for (const body of bodies(soak)) {
    if (!isAlive || !soak.goesOn()) break;
    const finding = await tryBody(server, send, body, worst);
    soak.count("bodies");
    if (finding !== undefined) soak.find(`${body.name}: ${finding}`);
  }
  soak.count("ms per MB at most", worst.msPerMb);
  soak.count("times the body in memory at most", worst.growth);
  close();
  server.child.off("exit", onEarlyExit);
  // Its folder is removed next, and a process that still runs writes to it.
  await server.end();
});
