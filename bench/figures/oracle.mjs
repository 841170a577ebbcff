import { call } from "../harness/calls.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { emptied, settled } from "../harness/servers.mjs";

const RUNS = 10;
const JUDGED = 2_000;

/** The default oracle, and Prism, which `contract run --oracle prism` uses. */
export const figures = [
  {
    figure: "contract oracle, a reply of ten runs",
    per: "reply",
    rounds: 7,
    sides: ["in process", "Prism"],
    targets: [{ atMost: 0.06, quantity: "cpuMs" }],
    async open() {
      const { expectContract, openOracle } = await import("../../dist/contracts/index.mjs");
      const prism = await openOracle("spec", "prism");
      const { request, reply } = await exchangeOfRuns();
      const { method, path, headers } = request;
      const recorded = { ...reply, body: reply.text, method, url: path, requestHeaders: headers };
      const judges = {
        // It rejects where it has a complaint.
        "in process": () => expectContract(recorded, { strict: true }),
        async Prism() {
          if ((await prism.check(request, reply, new Set())).length > 0) throw new Error("a complaint");
        },
      };
      return {
        async round(side) {
          const cpu = process.cpuUsage();
          const began = performance.now();
          for (let n = 0; n < JUDGED; n += 1) await judges[side]();
          const { user, system } = process.cpuUsage(cpu);
          return { items: JUDGED, wallMs: performance.now() - began, cpuMs: (user + system) / 1000 };
        },
      };
    },
  },
];

async function exchangeOfRuns() {
  const { url, stop } = await launchEmulator(["--ephemeral"]);
  try {
    const { thread_id } = await call(url, "POST", "/threads", {});
    await emptied(url, thread_id);
    for (let run = 0; run < RUNS; run += 1)
      await call(url, "POST", `/threads/${thread_id}/runs`, {
        assistant_id: "echo",
        input: { text: "a" },
        multitask_strategy: "enqueue",
      });
    await settled(url, thread_id);
    const path = `/threads/${thread_id}/runs`;
    const text = JSON.stringify(await call(url, "GET", path));
    return {
      request: { method: "GET", path, headers: {} },
      reply: { status: 200, headers: { "content-type": "application/json" }, text },
    };
  } finally {
    await stop();
  }
}
