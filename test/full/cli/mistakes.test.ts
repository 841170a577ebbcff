import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectMistake, folderOfMistakes, MISTAKES } from "../../cli/mistakes.ts";
import {
  BASE_ENVIRONMENT,
  CLI,
  launch,
  type Outcome,
  outcomeOf,
  runAlone,
  workingFolder,
} from "../../support/emulator-process.ts";

it("a port that is in use, and a data folder that is a broken link, are explained as text and as data", async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const cwd = folderOfMistakes();
  const runWords = (words: readonly string[]) => runAlone(words, { cwd });
  await expectMistake([`start --ephemeral --port ${port}`, `port ${port}: the port is in use`], runWords);
  server.close();
  symlinkSync("/nowhere/at/all", join(cwd, "dangling"));
  await expectMistake(["start --port 0 --data dangling", "dangling"], runWords);
});

/** Root may read everything, so its commands run as another user, in a folder that this one can enter. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

function runAsUser(words: readonly string[], cwd: string): Promise<Outcome> {
  chmodSync(cwd, 0o755);
  chmodSync(tmpdir(), 0o755);
  return outcomeOf(spawn(process.execPath, [CLI, ...words], { cwd, env: BASE_ENVIRONMENT, ...USER }));
}

describe("a missing permission is explained as text and as data", () => {
  it.each(MISTAKES.denied.map((each) => [each[0], each] as const))("emulator %s", async (_, mistake) => {
    const cwd = folderOfMistakes();
    for (const name of ["secret", "secret.scenario.yaml"])
      writeFileSync(join(cwd, name), "x", { mode: 0o200 });
    mkdirSync(join(cwd, "locked"), { mode: 0o555 });
    await expectMistake(mistake, (words) => runAsUser(words, cwd));
  });
});

describe("an interruption is explained as text and as data", () => {
  it.each([["wait"], ["status"], ["traces query"], ["clock advance 1h"]])("emulator %s", async (words) => {
    const cwd = folderOfMistakes();
    for (const isJson of [false, true]) {
      // It never answers; the command is interrupted once it waits for the answer.
      const server = createServer();
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
      const all = [...words.split(" "), "--url", url];
      const { child, ended } = launch(isJson ? [...all, "--json"] : all, { cwd });
      const [socket] = (await once(server, "connection")) as [Socket];
      await once(socket, "data");
      child.kill("SIGINT");
      const { code, stdout, stderr } = await ended;
      socket.destroy();
      server.close();
      if (isJson)
        expect([code, stderr, JSON.parse(stdout)]).toMatchObject([
          130,
          "",
          { error: { code: "interrupted" } },
        ]);
      else
        expect([code, stdout, stderr]).toEqual([
          130,
          "",
          expect.stringMatching(/^emulator: stopped by SIGINT: .+\n$/),
        ]);
    }
  });
});

/** Makes Node report another version. */
const OLD = (cwd: string, version: string) => {
  const file = join(cwd, "old.cjs");
  writeFileSync(file, `Object.defineProperty(process.versions, "node", { value: "${version}" });`);
  return { NODE_OPTIONS: `--require ${file}` };
};

describe("a Node that is too old", () => {
  it.each(["10.24.1", "18.20.8", "20.18.3"])("%s: one line for every command", async (version) => {
    const cwd = workingFolder();
    const env = OLD(cwd, version);
    const line = `emulator: needs Node 20.19 or newer; this is ${version}; install a newer Node`;
    for (const words of [[], ["--version"], ["status"], ["exec", "--", "true", "--json"]])
      expect(await runAlone(words, { cwd, env })).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(new RegExp(`^${line.replaceAll(".", "\\.")}.*\n$`)),
      });
    for (const [words, more] of [
      [["status", "--json"], {}],
      [["status"], { EMULATOR_JSON: "1" }],
    ] as const) {
      const { code, stdout, stderr } = await runAlone(words, { cwd, env: { ...env, ...more } });
      expect({ code, stderr, error: JSON.parse(stdout) }).toMatchObject({
        code: 2,
        stderr: "",
        error: { error: { code: "old_node", message: `needs Node 20.19 or newer; this is ${version}` } },
      });
    }
  });

  it("20.19 and newer ones start", async () => {
    const cwd = workingFolder();
    for (const version of ["20.19.0", "22.0.0"])
      expect(await runAlone(["--version"], { cwd, env: OLD(cwd, version) })).toMatchObject({ code: 0 });
  });
});
