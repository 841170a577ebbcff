import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startEmulator } from "../../../emulator/runtime/index.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { stateFileIn } from "../../support/pool-files.ts";

let folder: string;

beforeEach(() => {
  folder = workingFolder();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const TAKEN =
  /^port \d+(?: \((?:EU|S3): --port \+ \d\))?: the port is in use; stop the program that uses it, or choose another --port/;

/** A port that somebody else listens on. */
async function takenPort(): Promise<{ readonly port: number; free(): void }> {
  const server = createServer((socket) => socket.on("error", () => undefined).end("not HTTP\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, free: () => server.close() };
}

describe("a start that fails", () => {
  it.each([
    [
      "the list of worlds",
      (data: string) => join(data, "worlds.ndjson"),
      "{\n",
      /worlds.ndjson, line 1, is damaged/,
    ],
    ["the key", (data: string) => join(data, "key"), "short", /key is damaged/],
  ])("at %s releases the data folder, so that the next start does not find it in use", async (...row) => {
    const [, fileIn, broken, says] = row;
    const options = { ephemeral: false, data: folder };
    await (await startEmulator(options)).close();
    const file = fileIn(folder);
    const whole = readFileSync(file);
    writeFileSync(file, broken);
    await expect(startEmulator(options)).rejects.toThrow(says);
    for (const left of ["lock", "lock-owner.json"]) expect(existsSync(join(folder, left))).toBe(false);
    writeFileSync(file, whole);
    await (await startEmulator(options)).close();
  });

  it("does not fail at the state of a world: calls to that world name the damage and the next step", async () => {
    const options = { ephemeral: false, data: folder };
    await (await startEmulator(options)).close();
    const file = stateFileIn(folder);
    const whole = readFileSync(file);
    writeFileSync(file, "{");
    const damaged = await startEmulator(options);
    const reply = await damaged.request("/threads", { json: {} });
    expect(reply.status).toBe(409);
    expect(await reply.text()).toMatch(/state-\d+\.json is damaged.*reset/s);
    await damaged.close();
    writeFileSync(file, whole);
    const repaired = await startEmulator(options);
    expect((await repaired.request("/threads", { json: {} })).status).toBe(200);
    await repaired.close();
  });

  it("at the key of another data folder names the cause", async () => {
    const [data, other] = [join(folder, "data"), join(folder, "other")];
    for (const each of [data, other]) await (await startEmulator({ ephemeral: false, data: each })).close();
    copyFileSync(join(other, "key"), join(data, "key"));
    await expect(startEmulator({ ephemeral: false, data })).rejects.toThrow(/key is not the key of/);
  });

  it("at its port leaves no temporary folder", async () => {
    vi.stubEnv("TMPDIR", folder);
    const { port, free } = await takenPort();
    await expect(startEmulator({ port })).rejects.toThrow(TAKEN);
    free();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("at its port removes all folders that it created, also those above the data folder", async () => {
    const { port, free } = await takenPort();
    const startIn = (data: string) => startEmulator({ port, ephemeral: false, data });
    await expect(startIn(join(folder, "new", "deep"))).rejects.toThrow(TAKEN);
    expect(readdirSync(folder)).toEqual([]);
    await expect(startIn(folder)).rejects.toThrow(TAKEN);
    free();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("at its port removes nothing from a folder that held something", async () => {
    const notes = join(folder, "notes.txt");
    const options = { ephemeral: false, data: folder };
    await (await startEmulator(options)).close();
    writeFileSync(notes, "mine");
    const before = readdirSync(folder);
    const { port, free } = await takenPort();
    await expect(startEmulator({ ...options, port })).rejects.toThrow(TAKEN);
    free();
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(notes, "utf8")).toBe("mine");
    await (await startEmulator(options)).close();
  });

  it("in a folder with other files is refused, and does not change them", async () => {
    writeFileSync(join(folder, "thesis.txt"), "mine");
    const refusal = startEmulator({ ephemeral: false, data: folder });
    await expect(refusal).rejects.toMatchObject({ code: "foreign_folder" });
    expect(readdirSync(folder)).toEqual(["thesis.txt"]);
  });

  it("in a folder with only hidden files is allowed, and keeps a .gitignore", async () => {
    writeFileSync(join(folder, ".gitignore"), "mine");
    await (await startEmulator({ ephemeral: false, data: folder })).close();
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine");
  });

  it("that succeeds keeps the secrets of the folder out of git", async () => {
    await (await startEmulator({ ephemeral: false, data: folder })).close();
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  it.each([
    ["below a file", ["file", "sub"], "ENOTDIR"],
    ["at a file", ["file"], "EEXIST"],
    [
      "at a name that is too long, below folders that are not there",
      ["new", "n".repeat(300)],
      "ENAMETOOLONG",
    ],
  ])("at a data folder %s leaves nothing behind", async (_, path, code) => {
    writeFileSync(join(folder, "file"), "");
    const refusal = startEmulator({ ephemeral: false, data: join(folder, ...path) });
    await expect(refusal).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});
