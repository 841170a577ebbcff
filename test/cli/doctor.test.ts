import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { run, start, workingFolder } from "../support/emulator-process.ts";
import { stateFileIn } from "../support/pool-files.ts";

interface Report {
  readonly ok: boolean;
  readonly findings: readonly { readonly ok: boolean; readonly what: string }[];
}

async function doctor(
  words: readonly string[],
  cwd: string,
): Promise<Report & { readonly code: number | null }> {
  const { code, stdout } = await run(["doctor", "--json", ...words], { cwd });
  return { ...JSON.parse(stdout), code };
}

function problemsOf({ findings }: Report): string[] {
  return findings.filter(({ ok }) => !ok).map(({ what }) => what);
}

describe("emulator doctor", () => {
  it("finds nothing wrong where nothing is", async () => {
    const cwd = workingFolder();
    await start([], { cwd });
    const report = await doctor(["--port", "0"], cwd);
    expect(problemsOf(report)).toEqual([]);
    expect(report).toMatchObject({ ok: true, code: 0 });
    expect(report.findings.map(({ what }) => what).join("\n")).toMatch(
      /Node 2\d[\s\S]*an emulator answers[\s\S]*yaml loads/,
    );
  });

  it("names a taken port", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const report = await doctor(["--port", String(port)], workingFolder());
    server.close();
    expect(problemsOf(report)).toContain(`port ${port} cannot be taken (EADDRINUSE)`);
    expect(report).toMatchObject({ ok: false, code: 1 });
  });

  it("names a data folder that is a file, and an address where nothing answers", async () => {
    const cwd = workingFolder();
    writeFileSync(join(cwd, "taken"), "");
    const report = await doctor(["--port", "0", "--data", "taken", "--url", "http://127.0.0.1:1"], cwd);
    expect(problemsOf(report)).toEqual([
      `${join(cwd, "taken")} is a file`,
      "an emulator does not answer at http://127.0.0.1:1",
      "http://127.0.0.1:1 is not ready",
    ]);
  });

  it("names damaged files, and repairs a data folder that no process holds", async () => {
    const cwd = workingFolder();
    const repair = (...words: string[]) => run(["doctor", "--repair", ...words], { cwd });
    const { child, ended } = await start(["--now", "2026-03-01T00:00:00Z", "--clock", "frozen"], { cwd });
    const held = await repair();
    expect(held).toMatchObject({ code: 2, stdout: "" });
    expect(held.stderr).toMatch(/^emulator: \S+ is in use by process \d+ .*\n$/);
    child.kill("SIGTERM");
    await ended;
    const state = stateFileIn(join(cwd, ".emulator"));
    writeFileSync(state, readFileSync(state, "utf8").replace('"turn": ', '"turn": 1'));
    const report = await doctor(["--port", "0"], cwd);
    expect(report.code).toBe(1);
    expect(problemsOf(report)).toEqual([`${state} is damaged`]);
    const repaired = await repair("--json");
    expect(repaired.code).toBe(0);
    const { problems, lost, aside } = JSON.parse(repaired.stdout);
    expect({ problems, lost }).toEqual({
      problems: [`${state} is damaged.`],
      lost: ["the world main, which begins anew"],
    });
    expect(existsSync(join(aside, relative(join(cwd, ".emulator"), state)))).toBe(true);
    expect((await repair()).stdout).toMatch(/nothing to repair\n$/);
    expect(problemsOf(await doctor(["--port", "0"], cwd))).toEqual([]);
    await start([], { cwd });
  });

  it("repairs nothing where no data folder is", async () => {
    const cwd = workingFolder();
    const { code, stderr } = await run(["doctor", "--repair", "--data", "absent"], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `emulator: ${join(cwd, "absent")} is no folder; name the data folder with --data\n`,
    });
    expect(existsSync(join(cwd, "absent"))).toBe(false);
  });
});
