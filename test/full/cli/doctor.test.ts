import { once } from "node:events";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { start, workingFolder } from "../../support/emulator-process.ts";
import { rowFileIn, stateFileIn } from "../../support/pool-files.ts";

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

  it("lists the recorded requests that the service refuses after the legacy endpoints end", async () => {
    const cwd = workingFolder();
    const { ready } = await start([], { cwd });
    const send = (path: string, body?: object) =>
      fetch(`${ready.url}${path}`, {
        method: body ? "POST" : "GET",
        headers: { "x-api-key": "key", "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    await send("/api/v2/sessions");
    expect(await doctor(["--legacy"], cwd)).toMatchObject({ ok: true, code: 0, findings: [{ ok: true }] });
    for (const path of ["/runs/query", "/api/v1/runs/query"]) await send(path, { session: [] });
    await send("/runs/00000000-0000-4000-8000-0000000000a1");
    const report = await doctor(["--legacy"], cwd);
    expect(report).toMatchObject({ ok: false, code: 1 });
    expect(problemsOf(report)).toEqual([
      expect.stringMatching(/^2 recorded requests to POST \/runs\/query \(first at 2\S+\): removed after/),
      expect.stringMatching(/^1 recorded request to GET \/runs\/{run_id} /),
    ]);
    const { stdout } = await run(["doctor", "--legacy"], { cwd });
    expect(stdout).toMatch(/use POST \/api\/v2\/runs\/query; in clients, runs\.query\(\) replaces/);
  });

  it("names a port that is in use", async () => {
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

  it("names damaged files of a data folder; the emulator starts, and a reset ends the damage", async () => {
    const cwd = workingFolder();
    const first = await start(["--now", "2026-03-01T00:00:00Z", "--clock", "frozen"], { cwd });
    first.child.kill("SIGTERM");
    await first.ended;
    const state = stateFileIn(join(cwd, ".emulator"));
    writeFileSync(state, readFileSync(state, "utf8").replace('"turn": ', '"turn": 1'));
    const report = await doctor(["--port", "0"], cwd);
    expect(report.code).toBe(1);
    expect(problemsOf(report)).toEqual([`${state} is damaged`]);
    const { child, ended } = await start([], { cwd });
    const status = await run(["status"], { cwd });
    expect(status.code).not.toBe(0);
    expect(status.stderr).toContain(`${state} is damaged. Load a snapshot`);
    const unknown = await run(["snapshot", "load", "absent"], { cwd });
    expect(unknown.stderr).toContain("absent");
    expect((await run(["status"], { cwd })).code).not.toBe(0);
    expect(await run(["reset"], { cwd })).toMatchObject({ code: 0 });
    expect(await run(["status"], { cwd })).toMatchObject({ code: 0 });
    child.kill("SIGTERM");
    expect((await ended).stderr).toMatch(/state-\d+\.json is damaged\. Load a snapshot .*\n$/);
    expect(problemsOf(await doctor(["--port", "0"], cwd))).toEqual([]);
  });

  it("fails the export of a damaged row file with its name; the process continues and starts again", async () => {
    const cwd = workingFolder();
    const days = ["--from", "2026-02-25", "--to", "2026-02-26"];
    const began = await start(["--now", "2026-03-01T00:00:00Z", "--clock", "frozen"], { cwd });
    expect(await run(["traces", "generate", "--project", "shop", ...days], { cwd })).toMatchObject({
      code: 0,
    });
    for (const damage of [(file: string) => truncateSync(file, 10), (file: string) => rmSync(file)]) {
      began.child.kill("SIGTERM");
      await began.ended;
      const file = rowFileIn(join(cwd, ".emulator"));
      damage(file);
      const { child, ended } = await start([], { cwd });
      const failed = await run(["export", "create", "--project", "shop", ...days, "--wait"], { cwd });
      expect(failed.code).not.toBe(0);
      expect(failed.stdout + failed.stderr).toContain(`${file} is missing`);
      expect(await run(["world", "create", "copy", "--from", "main"], { cwd })).toMatchObject({ code: 0 });
      expect(await run(["world", "rm", "copy"], { cwd })).toMatchObject({ code: 0 });
      child.kill("SIGTERM");
      expect((await ended).code).toBe(0);
    }
  });
});
