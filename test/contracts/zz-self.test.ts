import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { createEmulatorTarget } from "../../contracts/adapters/emulator-target.ts";
import { openOracle } from "../../contracts/adapters/prism.ts";
import { selftest } from "../../contracts/selftest.ts";
import { MUTANTS } from "../../contracts/mutants/mutants.ts";
import { CASES } from "../../contracts/suites/cases.ts";
import { startEmulator } from "../../emulator/index.ts";
it("x", async () => {
  const oracle = await openOracle();
  const t = Date.now();
  const sel = process.env.SEL;
  const { results: r, unsound } = await selftest({
    cases: CASES,
    mutants: MUTANTS.filter((m) => !sel || new RegExp(sel).test(m.id)),
    targetWith: (s) => createEmulatorTarget(startEmulator, s),
    oracle,
  });
  const alive = r.filter((x) => x.killedBy === null);
  writeFileSync(
    "/tmp/self.txt",
    `${alive.map((x) => `${x.mutant.id}: ${x.mutant.lie} (${x.cases} cases)`).join("\n")}\n${r.length - alive.length}/${r.length} in ${Date.now() - t}ms unsound ${unsound}\n`,
  );
}, 400_000);
