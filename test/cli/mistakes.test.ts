import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";
import { turnOf } from "../support/depth.ts";
import {
  BASE_ENVIRONMENT,
  CLI,
  launch,
  type Outcome,
  outcomeOf,
  run,
  runAlone,
  runShared,
  workingFolder,
} from "../support/emulator-process.ts";
import corpus from "./mistakes.json" with { type: "json" };

/** The words of a command, and a part of its message; the exit code is 2 unless a row says otherwise. */
type Mistake = readonly [words: string, text: string, exitCode?: number];

/**
 * `words` and `settings` are refused before an emulator is looked for, `unreachable` finds none, `refused` needs a running one,
 * and `denied` needs files that the user may not read or write. The check of the package runs some of each on an old Node.
 */
const { refused, denied, ...alone } = corpus as unknown as Readonly<
  Record<"words" | "settings" | "harness" | "unreachable" | "refused" | "denied", readonly Mistake[]>
>;

interface ErrorObject {
  readonly error: Readonly<Record<"code" | "message" | "hint", string>>;
}

/** Runs a command as text and with --json: one failure, once as lines on standard error and once as an object on standard output. */
async function expectMistake(
  mistake: Mistake,
  cwd: string,
  {
    env = {},
    runText = runShared,
  }: { readonly env?: Readonly<Record<string, string>>; runText?: typeof run } = {},
): Promise<void> {
  await expectText(mistake, (words) => runText(words, { cwd, env }));
  await expectData(mistake, (words) => runShared(words, { cwd, env }));
}

type RunWords = (words: readonly string[]) => Promise<Outcome>;

async function expectText([words, text, exitCode = 2]: Mistake, runWords: RunWords): Promise<void> {
  const outcome = await runWords(words.split(" "));
  expect(outcome).toEqual({ code: exitCode, stdout: "", stderr: expect.stringContaining(text) });
  expect(outcome.stderr).toMatch(/^(emulator: .+\n)+$/);
}

async function expectData([words, text, exitCode = 2]: Mistake, runWords: RunWords): Promise<void> {
  const all = words.split(" ");
  const end = all.indexOf("--");
  const asJson = await runWords(end === -1 ? [...all, "--json"] : all.toSpliced(end, 0, "--json"));
  expect(asJson).toEqual({ code: exitCode, stdout: expect.stringMatching(/^\{.*\}\n$/), stderr: "" });
  const { error } = JSON.parse(asJson.stdout) as ErrorObject;
  const filled = expect.stringMatching(/^\S[\s\S]*\S$/);
  expect(error).toEqual({ code: expect.stringMatching(/^[a-z0-9_]+$/), message: filled, hint: filled });
  const whole = ["; ", ": ", " "].map((mark) => error.message + mark + error.hint).join("\n");
  expect(whole).toContain(text);
}

function folder(): string {
  const cwd = workingFolder();
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  for (const name of ["folder", "empty"]) mkdirSync(join(cwd, name));
  write("folder/own.txt", "");
  write("not-json", "not JSON");
  write("empty.json", "{}");
  write("broken.capsule", "nothing");
  write("unknown-key.yaml", "sever: { port: 1 }\n");
  write("broken.yaml", "a: [\n");
  write("broken.scenario.yaml", "scenario: [\n");
  write("verb.scenario.yaml", "scenario: S.\nthen:\n  - requst: GET /ok\n");
  write("place.scenario.yaml", "scenario: S.\nthen:\n  - request: /ok\n");
  write("fault.scenario.yaml", "scenario: S.\nthen:\n  - fault: worker_crash\n");
  write("include.scenario.yaml", "scenario: S.\nthen:\n  - include: absent.yaml\n");
  write("good.scenario.yaml", "scenario: S.\nthen:\n  - { request: GET /ok, expect: { status: 200 } }\n");
  return cwd;
}

/** One command in so many runs as a user runs it; the others share a process. */
const ALONE_ONE_IN = 16;

it("has at least 120 mistakes", () => {
  expect(Object.values(corpus).flat().length).toBeGreaterThanOrEqual(120);
});

describe.each(Object.entries(alone))("%s: a mistake is explained as text and as data", (_, mistakes) => {
  it.each(mistakes.map((each, place) => [each[0], each, place] as const))(
    "emulator %s",
    (_, mistake, place) =>
      expectMistake(mistake, folder(), { runText: place % ALONE_ONE_IN === 0 ? runAlone : runShared }),
  );
});

describe("a running emulator refuses", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ clock: "frozen" });
  });
  afterAll(() => emulator.close());

  it.each(refused.map((each) => [each[0], each] as const))("emulator %s", (_, mistake) =>
    expectMistake(mistake, folder(), { env: { EMULATOR_URL: emulator.url } }),
  );

  it("a data folder and a port that are in use", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await new Promise((settle) => server.once("listening", settle));
    const { port } = server.address() as { port: number };
    await expectMistake([`start --ephemeral --port ${port}`, `port ${port}: the port is in use`], folder());
    server.close();
    const cwd = folder();
    symlinkSync("/nowhere/at/all", join(cwd, "dangling"));
    await expectMistake(["start --port 0 --data dangling", "dangling"], cwd);
  });

  it("EMULATOR_JSON is the same as --json", async () => {
    const { code, stdout } = await run(["stat"], { cwd: folder(), env: { EMULATOR_JSON: "1" } });
    expect({ code, error: JSON.parse(stdout) }).toMatchObject({
      code: 2,
      error: { error: { code: "wrong_use" } },
    });
  });
});

/** Root may read everything, so its commands run as another user, in a folder that this one can enter. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

function runAsUser(words: readonly string[], cwd: string): Promise<Outcome> {
  chmodSync(cwd, 0o755);
  chmodSync(tmpdir(), 0o755);
  return outcomeOf(spawn(process.execPath, [CLI, ...words], { cwd, env: BASE_ENVIRONMENT, ...USER }));
}

describe("a missing permission is explained as text and as data", () => {
  it.each(denied.map((each, place) => [each[0], each, place] as const))(
    "emulator %s",
    async (_, mistake, place) => {
      const cwd = folder();
      for (const name of ["secret", "secret.scenario.yaml"])
        writeFileSync(join(cwd, name), "x", { mode: 0o200 });
      mkdirSync(join(cwd, "locked"), { mode: 0o555 });
      for (const expectForm of turnOf([expectText, expectData], place))
        await expectForm(mistake, (words) => runAsUser(words, cwd));
    },
  );
});

describe("an interruption is explained as text and as data", () => {
  it.each([
    ["wait", 0],
    ["status", 1],
    ["traces query", 0],
    ["clock advance 1h", 1],
  ] as const)("emulator %s", async (words, place) => {
    const cwd = folder();
    for (const isJson of turnOf([false, true], place)) {
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
  it.each(turnOf(["10.24.1", "18.20.8", "20.18.3"], 2))("%s: one line for every command", async (version) => {
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
