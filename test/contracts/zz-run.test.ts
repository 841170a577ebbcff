import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { createEmulatorTarget } from "../../contracts/adapters/emulator-target.ts";
import { openOracle } from "../../contracts/adapters/prism.ts";
import { runCases } from "../../contracts/run.ts";
import { selected } from "../../contracts/selection.ts";
import { CASES } from "../../contracts/suites/cases.ts";
import { startEmulator } from "../../emulator/index.ts";
it("x", async () => {
  const oracle = await openOracle();
  const cases = selected(CASES, (process.env.SEL ?? "").split(" ").filter(Boolean));
  const target = createEmulatorTarget(startEmulator);
  const r = await runCases(target, { cases, oracle });
  await target.close();
  const out = r.results
    .filter((x) => x.verdict !== "PASS")
    .map(
      (x) =>
        `${x.verdict} ${x.id} ${x.wallMs}ms\n${x.findings
          .slice(0, 8)
          .map(
            (f) =>
              `    ${f.verdict} [${f.requirement}${f.assumption ? ` ${f.assumption}` : ""}] ${f.blame}: ${f.text}  actual=${JSON.stringify(f.actual)?.slice(0, 200)}${f.exchange ? `  <${f.exchange.method} ${f.exchange.url.slice(22, 90)} ${f.exchange.status} ${f.exchange.replyBody.slice(0, 160)}>` : ""}`,
          )
          .join("\n")}`,
    );
  const slow = [...r.results]
    .sort((a, b) => b.wallMs - a.wallMs)
    .slice(0, 12)
    .map((x) => `${x.id} ${x.wallMs}ms ${x.requests}`);
  const unasked = r.results
    .filter((x) => x.verdict === "PASS")
    .flatMap((x) => x.requirements.filter((q) => !x.asked.includes(q)).map((q) => `${x.id}: ${q}`));
  writeFileSync(
    "/tmp/run.txt",
    `${out.join("\n")}\n\n${cases.length} cases, pass ${r.results.filter((x) => x.verdict === "PASS").length}, ${r.wallMs}ms, ${r.requests} requests\nSLOW\n${slow.join("\n")}\nUNASKED\n${unasked.join("\n")}\n`,
  );
}, 200_000);
