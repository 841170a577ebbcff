import { call } from "../harness/calls.mjs";
import { launchEmulator } from "../harness/processes.mjs";
import { emptied, settled } from "../harness/servers.mjs";

const RUNS = 10;
const JUDGED = 2_000;

/** The judge of the contract suites, of a reply with ten runs. */
export const figures = [
  {
    figure: "contract oracle, a reply of ten runs",
    per: "reply",
    rounds: 7,
    sides: ["Prism"],
    targets: [{ atMost: 0.06, quantity: "cpuMs" }],
    async open() {
      const { openOracle } = await import("../../dist/contracts/index.js");
      const oracle = await openOracle();
      const { request, reply } = await exchangeOfRuns();
      return {
        async round() {
          const cpu = process.cpuUsage();
          const began = performance.now();
          for (let n = 0; n < JUDGED; n += 1)
            if ((await oracle.judge(request, reply, new Set())).length > 0) throw new Error("a complaint");
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
