import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startEmulator } from "../../emulator/runtime/index.ts";
import { stateFileIn } from "../support/pool-files.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "failed-start-"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A port that somebody else listens on. */
async function takenPort(): Promise<{ readonly port: number; free(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, free: () => server.close() };
}

describe("a start that fails", () => {
  it.each([
    ["the state of a world", stateFileIn, "{", /not readable JSON/],
    [
      "the list of worlds",
      (data: string) => join(data, "worlds.ndjson"),
      "{\n",
      /worlds.ndjson, line 1, is damaged/,
    ],
    ["the key", (data: string) => join(data, "key"), "short", /key is damaged/],
  ])(
    "at %s lets go of the data folder, so that the next one is not told that it is in use",
    async (...row) => {
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
    },
  );

  it("at its port leaves no temporary folder behind", async () => {
    vi.stubEnv("TMPDIR", folder);
    const { port, free } = await takenPort();
    await expect(startEmulator({ port })).rejects.toThrow(/EADDRINUSE/);
    free();
    expect(readdirSync(folder)).toEqual([]);
  });
});
