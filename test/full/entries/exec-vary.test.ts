import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ExplorationReport } from "../../../scenarios/exploration.ts";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";

const CLIENT = fileURLToPath(new URL("clients/fragile.mjs", import.meta.url));
const FROZEN = ["--profile", "observed", "--clock", "frozen", "--now", "2026-03-01T00:00:00Z"];
const RUNS_MS = 240_000;

describe("emulator exec --vary", () => {
  it(
    "names what a fragile client relies on, with the line that repeats it",
    async () => {
      const cwd = workingFolder();
      const explored = async (listing: string, ...more: readonly string[]) => {
        const report = ["--jobs", "2", "--report", "json", "--output", "report.json"];
        const words = ["exec", "--vary", ...FROZEN, ...report];
        const outcome = await run([...words, ...more, "--", process.execPath, CLIENT], { cwd });
        expect(outcome).toMatchObject({ code: 1, stderr: "" });
        expect(outcome.stdout).toMatch(new RegExp(`^--vary: \\d+ trials?: ${listing} differs\n$`));
        const { exploration } = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as {
          exploration: ExplorationReport;
        };
        return exploration.results.filter(({ verdict }) => verdict !== "held");
      };
      const trials = ["agent.list_order=oldest first", "agent.thread_fields=the seven shown"];
      const different = await explored("\\d+ held, 2");
      expect(different.map(({ trial, failure }) => [trial, failure?.label])).toEqual(
        trials.map((trial) => [trial, "exit code 1"]),
      );
      expect(different[0]?.differences.join("\n")).toContain("the first run of the list is not the newest");
      expect(different[0]?.means).toBe("it relies on agent.list_order = newest first (§4.1, not specified)");
      expect(different[0]?.again).toBe(
        `npx emulator exec --clock frozen --now 2026-03-01T00:00:00Z --profile observed --vary --only 'agent.list_order=oldest first' -- ${process.execPath} ${CLIENT}`,
      );
      const only = ["--only", "agent.list_order=newest first"];
      const again = await run(["exec", "--vary", ...FROZEN, ...only, "--", process.execPath, CLIENT], {
        cwd,
      });
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("1 trial: 1 held") });
    },
    RUNS_MS,
  );

  it(
    "names the request that it does not get over being limited",
    async () => {
      const words = ["exec", "--sweep", "limits", "--max-runs", "2", ...FROZEN];
      const { code, stdout } = await run([...words, "--", process.execPath, CLIENT], {
        cwd: workingFolder(),
      });
      expect(code).toBe(1);
      expect(stdout).toContain("DIFFERS");
      expect(stdout).toMatch(/429 #1\n[\s\S]*exit code 1\n[\s\S]*POST \/threads: 429/);
      expect(stdout).toContain("it relies on no request being limited (§8.5");
      expect(stdout).toContain("--sweep limits --only '429 #1' -- ");
    },
    RUNS_MS,
  );

  it("refuses a command that fails as it is", async () => {
    const { code, stdout } = await run(["exec", "--vary", "--", process.execPath, "-e", "process.exit(3)"], {
      cwd: workingFolder(),
    });
    expect(code).toBe(1);
    expect(stdout).toContain("it does not pass without --vary (exit code 3); make it pass first");
  });

  it.each([
    ["--sweep crash --vary", "--sweep: it cannot be combined with --vary"],
    ["--vary --all", "--all: it is only valid with --sweep"],
    ["--vary --only nonsense", '--only: "nonsense" is not a variation'],
    ["--vary --data here", "--data: it cannot be combined with --vary"],
    ["--vary --budget soon", '--budget: "soon" is not valid'],
    ["--vary --shard 3/2", '--shard: "3/2" is not valid'],
  ])("refuses %s", async (flags, said) => {
    const { code, stderr } = await run(["exec", ...flags.split(" "), "--", "true"], {
      cwd: workingFolder(),
    });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});
