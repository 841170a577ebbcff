import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, start, workingFolder } from "../support/emulator-process.ts";

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
});
