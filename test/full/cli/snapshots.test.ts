import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { beforeEach, describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { type RunningProcess, start, workingFolder } from "../../support/emulator-process.ts";
import { objectStore } from "../../support/object-store.ts";
import { addThread, countThreads, send } from "../../support/send.ts";
import { openVerbs } from "../../support/verbs.ts";

const CONTROL = "/_emulator/v1";
const FROZEN = ["--clock", "frozen", "--now", "2026-03-01T00:00:00Z"];

let cwd: string;

beforeEach(() => {
  cwd = workingFolder();
});

async function put({ ready }: RunningProcess, key: string, body: Uint8Array | string): Promise<void> {
  await objectStore(ready.s3_url).send(new PutObjectCommand({ Bucket: "traces", Key: key, Body: body }));
}

async function stopped({ child, ended }: RunningProcess) {
  child.kill("SIGTERM");
  return ended;
}

describe("emulator snapshot and world", () => {
  it("work on a running emulator, its worlds and files", async () => {
    const { url, cwd, run: emulator, json } = await openVerbs();
    await addThread(url);

    expect(await emulator("snapshot", "save", "one")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("one is saved"),
    });
    expect(await emulator("snapshot", "save", "one")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The snapshot one already exists\. .*--force/),
    });
    expect(await emulator("snapshot", "save", "one", "--force")).toMatchObject({ code: 0 });
    const side = await json("world", "create", "side", "--from", "one");
    expect(side).toMatchObject({ id: "side", from: "one", url: `${url}/w/side` });
    await addThread(`${url}/w/side`);
    expect(await emulator("snapshot", "save", "two", "--world", "side")).toMatchObject({ code: 0 });
    expect(await json("snapshot", "list")).toMatchObject([
      { name: "one", of: "main" },
      { name: "two", of: "side" },
    ]);
    expect((await emulator("world", "list")).stdout.split("\n")).toHaveLength(3);
    expect(await json("status", "--world", "side")).toMatchObject({ world: "side" });
    expect((await emulator("env", "--world", "side")).stdout).toContain(`EMULATOR_URL='${url}/w/side'`);
    expect(await emulator("wait", "--world", "side")).toMatchObject({ code: 0 });
    expect(await emulator("reset", "--world", "side", "--empty")).toMatchObject({ code: 0 });
    expect([await countThreads(url), await countThreads(`${url}/w/side`)]).toEqual([1, 0]);

    const file = join(cwd, "two.tar.gz");
    expect(await json("snapshot", "export", "two", "two.tar.gz")).toMatchObject({ file, left_out: null });
    expect(await emulator("snapshot", "export", "two", "two.tar.gz")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("already exists"),
    });
    expect(await emulator("snapshot", "export", "two", "two.tar.gz", "--force")).toMatchObject({ code: 0 });
    expect(await emulator("snapshot", "export", "nope", "nope.tar.gz")).toEqual({
      code: 2,
      stdout: "",
      stderr: "emulator: The snapshot nope does not exist. `emulator snapshot list` lists the snapshots.\n",
    });
    expect(await emulator("snapshot", "import", "two.tar.gz")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The snapshot two already exists"),
    });
    expect(await emulator("snapshot", "import", "two.tar.gz", "three")).toMatchObject({ code: 0 });
    expect(await emulator("snapshot", "load", "three")).toMatchObject({ code: 0 });
    expect(await countThreads(url)).toBe(2);
    expect(await emulator("snapshot", "rm", "three")).toMatchObject({ code: 0 });
    expect(await emulator("world", "rm", "side")).toMatchObject({ code: 0 });
    expect(readdirSync(cwd)).toEqual(["two.tar.gz"]);
  });

  it("read missing secrets from a JSON file", async () => {
    const { url, cwd, run } = await openVerbs();
    const key = { access_key_id: "mine", secret_access_key: "very-hidden" };
    await send(url, "POST", `${CONTROL}/s3/credentials`, key);
    await run("snapshot", "save", "one");
    const bare = await run("snapshot", "export", "one", "bare.tar.gz");
    expect(bare.stdout).toContain("secrets were left out (destinations=0, keys=1)");
    expect(gunzipSync(readFileSync(join(cwd, "bare.tar.gz"))).includes("very-hidden")).toBe(false);
    const take = (name: string, ...flags: string[]) =>
      run("snapshot", "import", "bare.tar.gz", name, ...flags);
    const { stdout } = await take("a");
    expect(stdout).toContain("no secret in the file for the key mine");
    expect(stdout).toContain("PUT /_emulator/v1/secrets");
    const secretsFile = (name: string, content: unknown) =>
      writeFileSync(join(cwd, name), JSON.stringify(content));
    secretsFile("secrets.json", { keys: { mine: { secret_access_key: "given" } } });
    const whole = await take("b", "--secrets", "secrets.json");
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    expect(whole.stdout).not.toContain("no secret");
    expect(await take("c", "--secrets", "gone.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("gone.json: no such file or folder; check the path"),
    });
    secretsFile("list.json", { keys: { mine: "given" } });
    expect(await take("c", "--secrets", "list.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("list.json is not JSON with destinations, keys or webhooks"),
    });
    secretsFile("other.json", { keys: { theirs: { secret_access_key: "x" } } });
    expect(await take("c", "--secrets", "other.json")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the key theirs"),
    });

    const again = await start(
      [...FROZEN, "--ephemeral", "--import", "bare.tar.gz", "--secrets", "secrets.json"],
      { cwd },
    );
    await stopped(again);
    expect((await again.ended).stderr).not.toContain("no secret");
  });
});

describe("--import and --export-on-exit", () => {
  it("carry a world from start to start, and through exec", async () => {
    const file = join(cwd, "world.tar.gz");
    const first = await start([...FROZEN, "--ephemeral", "--export-on-exit", "world.tar.gz"], { cwd });
    await addThread(first.ready.url);
    expect(await stopped(first)).toMatchObject({ code: 0, stderr: "" });
    const again = await run(
      ["exec", "--import", file, "--export-on-exit", file, "--", process.execPath, "-e", ADD_THREAD],
      { cwd, env: { EMULATOR_CLOCK: "frozen" } },
    );
    expect(again).toMatchObject({ code: 7, stderr: "" });
    const second = await start(["--clock", "frozen", "--import", file], { cwd });
    expect(await countThreads(second.ready.url)).toBe(2);
    expect(second.ready.now).toBe("2026-03-01T00:00:00.000000Z");
    await stopped(second);
    const refusal = await run(["start", "--import", file, "--port", "0"], { cwd });
    expect(refusal).toMatchObject({ code: 2, stderr: expect.stringContaining("Remove --import") });
    const on = await start(["--clock", "frozen"], { cwd });
    expect(await countThreads(on.ready.url)).toBe(2);
    await stopped(on);
  });

  it("end with 1 when the file cannot be written, and leave the old one", async () => {
    writeFileSync(join(cwd, "world.tar.gz"), "old");
    const env = { EMULATOR_LIMITS__SNAPSHOT_BYTES: "10" };
    const running = await start([...FROZEN, "--ephemeral", "--export-on-exit", "world.tar.gz"], { cwd, env });
    await put(running, "a.txt", "x");
    expect(await stopped(running)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("is unchanged"),
    });
    expect(readFileSync(join(cwd, "world.tar.gz"), "utf8")).toBe("old");
  });
});

/** What exec runs: a client that ends with a code of its own. */
const ADD_THREAD = `fetch(process.env.EMULATOR_URL + "/threads", {
  method: "POST", headers: { "content-type": "application/json" }, body: "{}",
}).then(() => process.exit(7))`;

describe("kill -9", () => {
  it("in the middle of an import removes the partial import", async () => {
    const data = join(cwd, ".emulator");
    let running = await start([...FROZEN], { cwd });
    await put(running, "a.bin", randomBytes(4_000_000));
    await put(running, "b.bin", randomBytes(4_000_000));
    await run(["snapshot", "save", "one"], { cwd });
    await run(["snapshot", "export", "one", "one.tar.gz"], { cwd });
    const file = readFileSync(join(cwd, "one.tar.gz"));
    const list = async () => (await run(["snapshot", "list", "--json"], { cwd })).stdout;
    const listing = await list();

    const sending = request(`${running.ready.url}${CONTROL}/snapshots/file?name=half`, { method: "POST" });
    sending.on("error", () => undefined);
    sending.write(file.subarray(0, file.length * 0.8));
    const pool = join(data, "pool");
    const owners = readdirSync(pool);
    const bodies = () =>
      (readdirSync(pool, { recursive: true }) as string[]).filter((name) => /bodies.\d.2$/.test(name));
    await expect.poll(bodies, { interval: 20 }).toHaveLength(2);
    running.child.kill("SIGKILL");
    await running.ended;
    sending.destroy();

    running = await start(["--clock", "frozen"], { cwd });
    expect(await list()).toBe(listing);
    expect(readdirSync(pool)).toEqual(owners);
    expect(await run(["snapshot", "import", "one.tar.gz", "half"], { cwd })).toMatchObject({ code: 0 });
    await stopped(running);
  });

  it("in the middle of an export keeps the old file", async () => {
    writeFileSync(join(cwd, "world.tar.gz"), "old");
    const running = await start([...FROZEN, "--export-on-exit", "world.tar.gz"], { cwd });
    const bytes = 9_000_000;
    for (let number = 0; number < 6; number += 1) await put(running, `${number}.bin`, randomBytes(bytes));
    running.child.kill("SIGTERM");
    const isWriting = () => readdirSync(cwd).some((name) => name.endsWith(".new"));
    await expect.poll(isWriting, { interval: 1 }).toBe(true);
    running.child.kill("SIGKILL");
    expect((await running.ended).code).toBe(null);
    expect(readFileSync(join(cwd, "world.tar.gz"), "utf8")).toBe("old");
    const again = await start(["--clock", "frozen", "--export-on-exit", "world.tar.gz"], { cwd });
    expect(await stopped(again)).toMatchObject({ code: 0 });
    expect(gunzipSync(readFileSync(join(cwd, "world.tar.gz"))).length).toBeGreaterThan(6 * bytes);
  });
});
