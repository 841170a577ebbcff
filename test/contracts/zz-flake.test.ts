import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { createEmulatorTarget, CASES, MUTANTS, openOracle, runContracts } from "../../contracts/index.ts";
import { startEmulator } from "../../emulator/index.ts";
it("x", async () => {
  const oracle = await openOracle();
  const out: string[] = [];
  const muts = MUTANTS.filter((_, i) => i % 9 === 0);
  const cases = CASES.filter((c) => c.requirements.some((r) => muts.some((m) => m.requirement === r)));
  for (let i = 0; i < 8; i++) {
    const target = createEmulatorTarget(startEmulator);
    const r = await runContracts(target, { cases, oracle });
    await target.close();
    for (const x of r.results) if (x.verdict !== "PASS") out.push(`${i} ${x.id} ${x.findings.map((f) => `${f.text} actual=${JSON.stringify(f.actual)?.slice(0, 200)} ${f.exchange?.method} ${f.exchange?.url} ${f.exchange?.status} ${f.exchange?.replyBody.slice(0, 600)}`).join("\n   ")}`);
  }
  writeFileSync("/tmp/flake.txt", out.join("\n"));
}, 300_000);
