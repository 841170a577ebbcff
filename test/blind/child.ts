// Runs contract cases in this process against a product of `schemata.ts`, one message after the other.
import { CASES, createEmulatorTarget, openOracle, runContracts, type Target } from "../../contracts/index.ts";
import { startEmulator } from "../../emulator/runtime/index.ts";
import type { Outcome, Question } from "./question.ts";

declare global {
  var blindSwitch: { active: number; readonly reached: Set<number> };
}

const oracle = await openOracle("spec", "tables");
/** Places that were reached while the modules were loaded. */
const points = [...globalThis.blindSwitch.reached];

process.on("message", async ({ active, cases, isBail }: Question) => {
  process.env.BLIND_CHANGE = String(active);
  globalThis.blindSwitch.active = active;
  globalThis.blindSwitch.reached.clear();
  const all = createEmulatorTarget(startEmulator);
  // What one case reaches is known only if no other one is at work.
  const target: Target = active < 0 ? { ...all, width: 1 } : all;
  const reached: Record<string, readonly number[]> = {};
  const cpuMs: Record<string, number> = {};
  let before = process.cpuUsage();
  const run = await runContracts(target, {
    cases: cases ? cases.flatMap((name) => CASES.find(({ id }) => id === name) ?? []) : CASES,
    bail: isBail,
    oracle,
    onResult({ id }) {
      process.send?.("case");
      const { user, system } = process.cpuUsage(before);
      before = process.cpuUsage();
      cpuMs[id] = (user + system) / 1000;
      reached[id] = [...globalThis.blindSwitch.reached];
      globalThis.blindSwitch.reached.clear();
    },
  });
  await target.close();
  const findings = run.results.flatMap(({ id, findings }) =>
    findings.map(({ verdict, blame, text }) => ({ id, verdict, blame, text })),
  );
  process.send?.({ findings, reached, cpuMs, loaded: points } satisfies Outcome);
});
process.send?.("ready");
