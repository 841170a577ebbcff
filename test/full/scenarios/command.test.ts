import { once } from "node:events";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EmulatorOptions } from "../../../emulator/runtime/index.ts";
import { run } from "../../support/command-line.ts";
import { DESTINATION, HEADERS, startRig } from "../../support/emulator.ts";
import { launch, runAlone, start, workingFolder } from "../../support/emulator-process.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

function write(folder: string, name: string, ...lines: readonly string[]): void {
  writeFileSync(join(folder, `${name}.scenario.yaml`), `${["scenario: A sentence.", ...lines].join("\n")}\n`);
}

/** Starts an emulator for a test, with a frozen clock; gives its address. */
async function emulatorUrl(options: EmulatorOptions = {}): Promise<string> {
  const { emulator, close } = await startRig(options);
  onTestFinished(close);
  return emulator.url;
}

const post = async <T = Record<string, string>>(url: string, body: unknown): Promise<T> =>
  (await fetch(url, { method: "POST", headers: HEADERS, body: JSON.stringify(body) })).json();

const GOOD = ["when:", "  - request: POST /threads", "    body: {}"];
const BAD = ["when:", "  - request: GET /ok", "    expect: { status: 201 }"];

describe("emulator replay", () => {
  it("exits with 0 and a summary when all scenarios pass", async () => {
    const cwd = workingFolder();
    write(cwd, "good", ...GOOD);
    const { code, stdout, stderr } = await run(["replay", "good.scenario.yaml"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ok {2}\d+ ms {2}good {2}A sentence\.\n1 scenario: 1 passed\n$/);
  });

  it("exits with 1 when one fails, and writes the requested report", async () => {
    const cwd = workingFolder();
    write(cwd, "good", ...GOOD);
    write(cwd, "bad", ...BAD);
    const { code, stdout } = await run(["replay", ".", "--report", "junit", "--output", "report.xml"], {
      cwd,
    });
    expect(code).toBe(1);
    expect(stdout).toContain("npx emulator replay bad.scenario.yaml --seed 1");
    expect(readFileSync(join(cwd, "report.xml"), "utf8")).toContain('tests="2" failures="1"');
  });

  it("keeps the worlds of failures open with --keep until it is stopped", async () => {
    const cwd = workingFolder();
    write(cwd, "good", ...GOOD);
    expect((await run(["replay", ".", "--keep"], { cwd })).code).toBe(0);
    write(cwd, "bad", ...BAD);
    const replaying = launch(["replay", ".", "--keep"], { cwd });
    let output = "";
    replaying.child.stdout.on("data", (text) => {
      output += text;
    });
    const [said] = await once(replaying.child.stderr, "data");
    expect(String(said)).toContain("until you press Ctrl-C");
    const [, address = ""] = /'(http:[^']*)'/.exec(output) ?? [];
    expect((await fetch(address)).status).toBe(200);
    replaying.child.kill("SIGINT");
    expect((await replaying.ended).code).toBe(1);
    await expect(fetch(address)).rejects.toThrow();
  });

  it("ends with 3 when a journal has drifted", async () => {
    const cwd = workingFolder();
    write(cwd, "kept", ...GOOD);
    expect((await run(["replay", ".", "--update"], { cwd })).code).toBe(0);
    expect((await run(["replay", "."], { cwd })).code).toBe(0);
    const golden = join(cwd, "kept.journal.ndjson");
    writeFileSync(golden, readFileSync(golden, "utf8").replace("createThread", "createThraed"));
    const { code, stdout } = await run(["replay", "."], { cwd });
    expect(code).toBe(3);
    expect(stdout).toContain("to accept it, add --update");
  });

  it("produces the same journal in another process, time zone and language, and with other scenarios", async () => {
    const cwd = workingFolder();
    for (const part of ["scenarios/parts", "fixtures/traces"])
      cpSync(join(ROOT, part), join(cwd, part), { recursive: true });
    const names = [
      "crash-resume-no-dup",
      "double-text",
      "late-run-missed",
      "rate-limit-without-loss",
      "webhook-twice-and-late",
    ].slice(0, 5);
    for (const name of names)
      cpSync(
        join(ROOT, `scenarios/shipped/${name}.scenario.yaml`),
        join(cwd, `scenarios/shipped/${name}.scenario.yaml`),
      );
    expect((await run(["replay", "scenarios", "--update", "--jobs", "5"], { cwd })).code).toBe(0);
    const env = { TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8" };
    const { code, stdout } = await runAlone(["replay", "scenarios", "--jobs", "1", "--json"], { cwd, env });
    const { scenarios } = JSON.parse(stdout) as { scenarios: readonly { drift: { kind: string } }[] };
    expect(scenarios.map(({ drift }) => drift.kind)).toEqual(names.map(() => "same"));
    expect(code).toBe(0);
  });

  it("plays on an emulator that runs, at its own instant, unless a world with another one is named", async () => {
    const cwd = workingFolder();
    const { ready } = await start(["--ephemeral", "--now", "2026-06-01T00:00:00Z"], { cwd });
    write(
      cwd,
      "here",
      "now: 2026-03-01T00:00:00Z",
      ...GOOD,
      "  - advance: PT1H",
      "    expect: { body: { to: { $regex: 'T01:00:00' } } }",
    );
    const outcome = await run(["replay", "here.scenario.yaml", "--target", ready.url], { cwd });
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect((await run(["replay", "here.scenario.yaml", "--target", ".emulator"], { cwd })).code).toBe(0);
    write(cwd, "there", "now: 2027-03-01T00:00:00Z", ...GOOD);
    const there = ["replay", "there.scenario.yaml", "--target", ready.url];
    expect((await run(there, { cwd })).code).toBe(0);
    const { code, stdout } = await run([...there, "--world", "main"], { cwd });
    expect(code).toBe(2);
    expect(stdout).toContain("start that one with --clock frozen --now 2027-03-01T00:00:00Z");
  });
});

describe("emulator replay --target", () => {
  const worldsOf = async (url: string) =>
    ((await (await fetch(`${url}/_emulator/v1/worlds`)).json()) as { id: string }[]).map(({ id }) => id);

  it("leaves the emulator unchanged, or plays in the given world", async () => {
    const cwd = workingFolder();
    const url = await emulatorUrl();
    const count = (base: string) => post<number>(`${base}/threads/count`, {});
    const side = `${url}/w/side`;
    await post(`${url}/_emulator/v1/worlds`, { id: "side" });
    for (const base of [url, side, side]) await post(`${base}/threads`, {});
    write(cwd, "bad", ...BAD);
    write(cwd, "good", ...GOOD);

    const everywhere = await run(["replay", ".", "--target", url], { cwd });
    expect(everywhere).toMatchObject({ code: 1, stderr: "" });
    expect(everywhere.stdout).toContain(`replay bad.scenario.yaml --seed 1 --target ${url}\n`);
    expect([await count(url), await count(side)]).toEqual([1, 2]);
    expect(await worldsOf(url)).toEqual(["main", "side"]);

    for (const words of [
      ["--target", url, "--world", "side"],
      ["--target", side],
    ]) {
      const there = await run(["replay", ".", ...words], { cwd });
      expect(there.stdout).toContain(`--target ${url} --world side\n`);
      expect([await count(url), await count(side)]).toEqual([1, 1]);
    }
    const outcome = await run(["replay", "--record", url, "--world", "side", "seen.scenario.yaml"], {
      cwd,
    });
    expect(outcome).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("seen.scenario.yaml: 2 steps"),
    });
  });

  it("keeps the worlds of failures there with --keep, and removes them when it is stopped", async () => {
    const cwd = workingFolder();
    const url = await emulatorUrl();
    write(cwd, "bad", ...BAD);
    const replaying = launch(["replay", ".", "--keep", "--target", url], { cwd });
    const [said] = await once(replaying.child.stderr, "data");
    expect(String(said)).toContain("until you press Ctrl-C");
    const ended = replaying.ended.then(({ code }) => code);
    // Time enough for a process that nothing holds to end by itself.
    expect(await Promise.race([ended, worldsOf(url)])).toEqual(["main", "world-1"]);
    expect((await run(["world", "list", "--url", url], { cwd })).stdout).toContain("world-1");
    replaying.child.kill("SIGINT");
    expect(await ended).toBe(1);
    expect(await worldsOf(url)).toEqual(["main"]);
    const lasting = await run(["replay", ".", "--keep", "--target", url, "--world", "main"], { cwd });
    expect(lasting).toMatchObject({ code: 1, stderr: "" });
  });

  it("refuses options that cannot be combined", async () => {
    const cwd = workingFolder();
    write(cwd, "good", ...GOOD);
    const said = async (...words: readonly string[]) => {
      const { code, stderr } = await run(["replay", ".", ...words], { cwd });
      return [code, stderr.trim()];
    };
    const url = "http://127.0.0.1:9";
    expect(await said("--world", "side")).toEqual([
      2,
      "emulator: --world: it is only valid with --target or --record; add one of them, or remove it",
    ]);
    expect(await said("--target", `${url}/w/side`, "--world", "main")).toEqual([
      2,
      "emulator: --world: --target names the world side already; remove --world",
    ]);
    expect(await said("--target", `${url}/threads`)).toEqual([
      2,
      `emulator: --target: "${url}/threads" has a path that is not /w/<world>; give ${url}`,
    ]);
    expect(await said("--target", url)).toEqual([
      2,
      `emulator: --target: No emulator answers at ${url}. Start one with \`emulator start\`, or correct the address.`,
    ]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("removes its worlds when %s ends it", async (signal) => {
    const cwd = workingFolder();
    const url = await emulatorUrl();
    write(
      cwd,
      "stuck",
      "when:",
      "  - control: POST /agent/scripts",
      "    body: { match: {}, then: { never_starts: true } }",
      "  - request: POST /runs/wait",
      "    body: { assistant_id: echo, input: {} }",
    );
    const replaying = launch(["replay", ".", "--target", url], { cwd });
    const streams = async () => {
      const status = await fetch(`${url}/w/world-1/_emulator/v1/status`);
      return ((await status.json()) as { open_streams?: number }).open_streams ?? 0;
    };
    await expect.poll(streams).toBeGreaterThan(0);
    expect(await worldsOf(url)).toEqual(["main", "world-1"]);
    replaying.child.kill(signal);
    expect(await replaying.ended).toMatchObject({
      code: signal === "SIGINT" ? 130 : 143,
      stderr: `emulator: stopped by ${signal}: no scenarios were done\n`,
    });
    expect(await worldsOf(url)).toEqual(["main"]);
  });
});

describe("emulator replay --record", () => {
  it("makes a scenario from an emulator's requests, and replays it with the same result", async () => {
    const cwd = workingFolder();
    const url = await emulatorUrl({ seed: 9 });
    const headers = { ...HEADERS, "x-api-key": "a-secret-key" };
    const call = async (path: string, body: unknown): Promise<Record<string, string>> =>
      (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
    const { session_id } = await call("/_emulator/v1/traces/generate", { count: 20, project: "shop" });
    const { id: destination } = await call("/api/v1/bulk-exports/destinations", DESTINATION);
    const credentials = { access_key_id: "emulator", secret_access_key: "do-not-tell" };
    await call("/api/v1/bulk-exports/destinations", { ...DESTINATION, credentials });
    await call("/_emulator/v1/faults", { preset: "permission_denied" });
    const { id } = await call("/api/v1/bulk-exports", {
      bulk_export_destination_id: destination,
      session_id,
      start_time: "2026-02-27T00:00:00Z",
      end_time: "2026-03-01T00:00:00Z",
    });
    await call("/_emulator/v1/clock/advance", { by: "PT5M" });
    const status = (await (await fetch(`${url}/api/v1/bulk-exports/${id}`, { headers })).json()) as {
      status: string;
    };
    expect(status.status).toBe("FAILED");

    const recorded = await run(["replay", "--record", url, "seen.scenario.yaml"], { cwd });
    expect(recorded).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("seen.scenario.yaml: 7 steps"),
    });
    const text = readFileSync(join(cwd, "seen.scenario.yaml"), "utf8");
    expect(text).not.toMatch(/do-not-tell|a-secret-key/);
    expect(text).toContain("GET /api/v1/bulk-exports/${");
    expect(text).not.toContain(id);
    expect(await run(["replay", "seen.scenario.yaml"], { cwd })).toMatchObject({ code: 0 });
    expect(await run(["replay", "seen.scenario.yaml", "--seed", "10"], { cwd })).toMatchObject({ code: 0 });
    writeFileSync(
      join(cwd, "seen.scenario.yaml"),
      text.replace("preset: permission_denied", "preset: worker_crash"),
    );
    expect(await run(["replay", "seen.scenario.yaml"], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('body.status: expected "FAILED"'),
    });
    expect(await run(["replay", "--record", url, "seen.scenario.yaml"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("exists; overwrite it with --update"),
    });
    expect(existsSync(join(cwd, "seen.journal.ndjson"))).toBe(false);
  });

  it("distinguishes a dry run from an advance, and a reached end from a missed one", async () => {
    const cwd = workingFolder();
    const url = await emulatorUrl();
    const call = (path: string, body: unknown) => post<Record<string, unknown>>(`${url}${path}`, body);
    const { session_id } = await call("/_emulator/v1/traces/generate", { count: 1, project: "shop" });
    const { id: bulk_export_destination_id } = await call("/api/v1/bulk-exports/destinations", DESTINATION);
    const window = { start_time: "2026-02-01T00:00:00Z", end_time: "2026-02-02T00:00:00Z" };
    const resource = await call("/api/v1/bulk-exports", {
      bulk_export_destination_id,
      session_id,
      ...window,
    });
    const looked = await call("/_emulator/v1/clock/advance?dry_run=1", { by: "P7D" });
    expect(looked.dry_run).toBe(true);
    await call("/_emulator/v1/clock/advance", { by: "PT1H" });
    const until = { export: resource.id, status: "FAILED" };
    expect((await call("/_emulator/v1/clock/advance", { until, within: "PT1H" })).reached).toBe(false);
    expect((await run(["replay", "--record", url, "seen.scenario.yaml"], { cwd })).code).toBe(0);
    const text = readFileSync(join(cwd, "seen.scenario.yaml"), "utf8");
    // What changes nothing is in no recording.
    expect(text).not.toContain("dry_run");
    expect(text).toContain("reached: false");
    writeFileSync(
      join(cwd, "seen.scenario.yaml"),
      `${text}  - control: GET /clock\n    expect: { body: { now: "2026-03-01T01:00:00.000000Z" } }\n`,
    );
    expect(await run(["replay", "seen.scenario.yaml"], { cwd })).toMatchObject({ code: 0 });
  });
});
