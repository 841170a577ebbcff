import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";
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

/** The words of a command, and a part of its message; the exit code is 2 unless a row says otherwise. */
type Mistake = readonly [words: string, text: string, exitCode?: number];

const ABSENT = "00000000-0000-4000-8000-000000000000";
const SILENT = "http://127.0.0.1:9";

/** Made before any emulator is looked for. */
const WORDS: readonly Mistake[] = [
  ["strat", "strat: unknown command"],
  ["contracts", "did you mean contract?"],
  ["--prot 1", "--prot: unknown flag"],
  ["status --bogus", "--bogus: unknown flag"],
  ["status --quiet=yes", "--quiet: it takes no value"],
  ["status --url", "--url: the value is missing"],
  ["status extra", "extra: not expected after status"],
  ["status --at", "--at: the value is missing"],
  ["logs -f", "-f: unknown flag"],
  ["clock forward", "clock forward: unknown command"],
  ["clock advance", "<duration> is missing"],
  ["clock advance soon", '"soon" is not valid'],
  ["clock advance -1h", '"-1h" is negative'],
  ["clock advance 5", '"5" is not valid'],
  ["clock until", "is missing"],
  ["traces generate --count many", '--count: "many" is not valid'],
  ["traces generate --count 0", '--count: "0" is not valid'],
  ["traces generate --from soon", '--from: "soon" is not valid'],
  ["traces send", "is missing"],
  ["traces send absent.ndjson", "absent.ndjson: no such file"],
  ["traces send folder", "folder"],
  ["export", "export: a command is missing"],
  ["export create", "--project"],
  ["export create --project shop --from x --to y", '--from: "x" is not valid'],
  ["export show 12", '"12" is not a valid id'],
  ["verify-export", "<export id> is missing"],
  ["fault", "fault: a command is missing"],
  ["fault arm", "is missing"],
  ["fault arm worker_crash --times 0", '--times: "0" is not valid'],
  ["fault rm", "fault rm"],
  ["limits show extra", "extra: not expected"],
  ["snapshot save", "<name> is missing"],
  ["snapshot", "snapshot: a command is missing"],
  ["snapshot import", "is missing"],
  ["world create --form main", "--form: unknown flag"],
  ["world rm", "<id> is missing"],
  ["world diff", "is missing"],
  ["why", "is missing"],
  ["webhooks check", "is missing"],
  ["wait --timeout soon", '--timeout: "soon" is not valid'],
  ["env --for nobody", '--for: "nobody" is not a client'],
  ["completion tcsh", "completion tcsh: unknown command"],
  ["completion", "completion: a command is missing"],
  ["open absent.capsule", "absent.capsule: no such file"],
  ["open broken.capsule", "broken.capsule"],
  ["record", "--har"],
  ["report merge", "<files…> is missing"],
  ["report merge absent.json", "absent.json: no such file"],
  ["report merge not-json", "not-json is not JSON"],
  ["report merge empty.json", "empty.json is not a report"],
  ["report join", "report join: unknown command"],
  ["init absent-folder", "absent-folder: no such folder"],
  ["init not-json", "not-json"],
  ["demo --seed x", "--seed"],
  ["demo --data /proc/demo", "/proc/demo"],
  ["demo --data folder", "contains files that the demo did not make"],
];

const SETTINGS: readonly Mistake[] = [
  ["start --port 70000", "--port: 70000 is not valid"],
  ["start --port x", "--port"],
  ["start --now yesterday", "--now"],
  ["start --clock stopped", "--clock"],
  ["start --seed -1", "--seed"],
  ["start --profile none", "--profile"],
  ["start --rate-limits maybe", "--rate-limits"],
  ["start --config absent.yaml", "absent.yaml"],
  ["start --config not-json", "not-json"],
  ["start --config unknown-key.yaml", "sever"],
  ["start --config broken.yaml", "broken.yaml"],
  ["start --config folder", "folder"],
  ["start --data not-json", "not-json"],
  ["start --data /proc/data", "/proc/data"],
  ["start --host 203.0.113.9 --ephemeral --port 0", "203.0.113.9"],
  ["start --host no.such.host.invalid --ephemeral --port 0", "no.such.host.invalid"],
  ["start --ready-file absent/ready --ephemeral", "--ready-file"],
  ["start --import absent.snapshot --ephemeral", "absent.snapshot"],
  ["start --log nonsense --ephemeral", "--log"],
  ["exec", "<cmd…> is missing"],
  ["exec --port x -- true", "--port"],
  ["exec --capsule absent/x.capsule -- false", "absent/x.capsule: no such file"],
  ["exec --budget 1s -- true", "--budget: it is only valid with --vary or --sweep"],
  ["exec --vary=nonsense -- true", '--vary: "nonsense" is not valid'],
  ["exec --sweep edges -- true", "--sweep edges"],
  ["exec --sweep nonsense -- true", '--sweep: "nonsense" is not valid'],
  ["exec --vary --fixtures -- true", "--fixtures: it cannot be combined with --vary"],
];

const HARNESS: readonly Mistake[] = [
  ["replay absent.scenario.yaml", "absent.scenario.yaml"],
  ["replay not-json", "not-json"],
  ["replay empty", "empty"],
  ["replay broken.scenario.yaml", "broken.scenario.yaml"],
  ["replay verb.scenario.yaml", "did you mean request?"],
  ["replay good.scenario.yaml --jobs 0", '--jobs: "0" is not valid'],
  ["replay good.scenario.yaml --seed x", '--seed: "x" is not valid'],
  ["replay good.scenario.yaml --report pdf", '--report: "pdf" is not valid'],
  ["replay good.scenario.yaml --output absent/x", "--output"],
  ["replay good.scenario.yaml --shard 0/2", '--shard: "0/2" is not valid'],
  ["replay good.scenario.yaml --shard 2/2", "part 2 of 2 is empty"],
  ["replay good.scenario.yaml --world w", "--world"],
  ["replay good.scenario.yaml --trust", "--trust"],
  ["replay good.scenario.yaml --vary --keep", "--keep: it cannot be combined with --vary"],
  ["replay good.scenario.yaml --vary --only x", '--only: "x" is not an assumption value'],
  ["replay good.scenario.yaml --all", "--all: it is only valid with --vary or --sweep"],
  ["replay good.scenario.yaml --vary --sweep crash", "--sweep: it cannot be combined with --vary"],
  [`replay good.scenario.yaml --target ${SILENT}`, SILENT],
  [`replay --record ${SILENT} new.scenario.yaml`, SILENT],
  ["replay --record absent-folder new.scenario.yaml", "absent-folder"],
  [`replay --record ${SILENT}`, "--record: give one file to write"],
  ["contract run 7.7", "7.7: no case matches"],
  ["contract run --shard x", '--shard: "x" is not valid'],
  ["contract run --report pdf", '--report: "pdf" is not valid'],
  ["contract run --oracle delphi", '--oracle: "delphi" is not an oracle'],
  ["contract run --profile none", '--profile: "none" is not valid'],
  ["contract run --target here", '--target: "here" is not an http or https address'],
  [`contract run 4.1/limit --target ${SILENT}`, "nothing listens at this address"],
  [`contract run 4.1/limit --compare ${SILENT}`, "nothing listens at this address"],
  ["contract run --target https://api.example.com", "--api-key: is missing; give the key"],
  ["contract run --api-key k", "--api-key: it is only valid with --target"],
  ["contract run --output absent/x", "--output"],
  ["contract list 7.7", "7.7"],
  ["contract coverage 77", "77"],
  ["contract selftest 7.7", "7.7: no mutant or variant matches"],
  ["contract check", "<file…> is missing"],
  ["contract check absent.har", "absent.har: no such file"],
  ["contract check not-json", "not-json"],
  ["contract verify", "contract verify: unknown command"],
];

/** Commands that find no emulator. */
const UNREACHABLE: readonly Mistake[] = [
  ...["status", "stop", "reset", "logs", "env", "limits", "s3 ls"].map(
    (words): Mistake => [words, "emulator"],
  ),
  ...["status", "logs", "clock", "world list", "snapshot list", "fault list", "limits show"].map(
    (words): Mistake => [`${words} --url ${SILENT}`, `No emulator answers at ${SILENT}`],
  ),
  ["status --url here", '--url: "here" is not an address'],
  ["status --data absent", "no running emulator found in"],
  [`wait --timeout 1ms --url ${SILENT}`, "is not ready after 1ms"],
  ["wait --timeout 1ms", "no running emulator found after 1ms"],
  [`record --har seen.har --url ${SILENT}`, `No emulator answers at ${SILENT}`],
];

/** Commands that a running emulator refuses. */
const REFUSED: readonly Mistake[] = [
  ["status --world absent", "absent"],
  ["status --at 99999", "99999"],
  ["clock advance 100y", '"100y" is not valid'],
  ["clock until 2001-01-01", "2001-01-01"],
  [`clock until ${ABSENT}`, ABSENT],
  [`export show ${ABSENT}`, ABSENT],
  [`verify-export ${ABSENT}`, ABSENT],
  ["export create --project absent --from 2026-01-01 --to 2026-01-02", "absent"],
  ["fault arm nonsense", "nonsense"],
  [`fault rm ${ABSENT}`, ABSENT],
  ["snapshot load absent", "absent"],
  ["snapshot rm absent", "absent"],
  ["snapshot save a/b", "a/b"],
  ["world create main", "main", 1],
  ["world rm absent", "absent"],
  ["world create new --from absent", "absent"],
  ["world diff main absent", "absent"],
  ["s3 ls absent", "absent"],
  ["s3 cat traces/absent", "absent"],
  ["limits trip absent", "absent"],
  [`why ${ABSENT}`, ABSENT],
];

interface ErrorObject {
  readonly error: Readonly<Record<"code" | "message" | "hint", string>>;
}

/** Runs a command as text and with --json: one failure, once as lines on standard error and once as an object on standard output. */
async function expectMistake(
  [words, text, exitCode = 2]: Mistake,
  cwd: string,
  { env = {}, runText = runShared, runJson = runShared } = {},
): Promise<void> {
  const all = words.split(" ");
  const asText = await runText(all, { cwd, env });
  expect(asText).toEqual({ code: exitCode, stdout: "", stderr: expect.stringContaining(text) });
  expect(asText.stderr).toMatch(/^(emulator: .+\n)+$/);
  const end = all.indexOf("--");
  const asJson = await runJson(end === -1 ? [...all, "--json"] : all.toSpliced(end, 0, "--json"), {
    cwd,
    env,
  });
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
  write("good.scenario.yaml", "scenario: S.\nthen:\n  - { request: GET /ok, expect: { status: 200 } }\n");
  return cwd;
}

/** One command in so many runs as a user runs it; the others share a process. */
const ALONE_ONE_IN = 8;

const TABLES = { WORDS, SETTINGS, HARNESS, UNREACHABLE };

it("has at least 120 mistakes", () => {
  expect([...Object.values(TABLES), REFUSED].flat().length).toBeGreaterThanOrEqual(120);
});

describe.each(Object.entries(TABLES))("%s: a mistake is explained as text and as data", (_, mistakes) => {
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

  it.each(REFUSED.map((each) => [each[0], each] as const))("emulator %s", (_, mistake) =>
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

/** Needs of files and folders that the user may not read or write. */
const DENIED: readonly Mistake[] = [
  ["replay secret.scenario.yaml", "secret.scenario.yaml"],
  ["start --ephemeral --port 0 --config secret", "secret"],
  ["start --port 0 --data locked/data", "locked/data"],
  ["demo --data locked/data", "locked/data"],
  ["init locked", "locked"],
  ["open secret", "no permission"],
  ["report merge secret", "secret"],
  ["contract check secret", "secret"],
  ["replay good.scenario.yaml --report json --output locked/report.json", "locked/report.json"],
];

/** Root may read everything, so its commands run as another user, in a folder that this one can enter. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

function runAsUser(words: readonly string[], { cwd }: { readonly cwd: string }): Promise<Outcome> {
  chmodSync(cwd, 0o755);
  chmodSync(tmpdir(), 0o755);
  return outcomeOf(spawn(process.execPath, [CLI, ...words], { cwd, env: BASE_ENVIRONMENT, ...USER }));
}

describe("a missing permission is explained as text and as data", () => {
  it.each(DENIED.map((each) => [each[0], each] as const))("emulator %s", async (_, mistake) => {
    const cwd = folder();
    for (const name of ["secret", "secret.scenario.yaml"])
      writeFileSync(join(cwd, name), "x", { mode: 0o200 });
    mkdirSync(join(cwd, "locked"), { mode: 0o555 });
    await expectMistake(mistake, cwd, { runText: runAsUser, runJson: runAsUser });
  });
});

describe("an interruption is explained as text and as data", () => {
  it.each(["wait", "status", "traces query", "clock advance 1h"])("emulator %s", async (words) => {
    const cwd = folder();
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
    for (const words of [[], ["--version"], ["status"], ["exec", "--", "true"]])
      expect(await runAlone(words, { cwd, env })).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(new RegExp(`^${line.replaceAll(".", "\\.")}.*\n$`)),
      });
    const { code, stdout, stderr } = await runAlone(["status", "--json"], { cwd, env });
    expect({ code, stderr, error: JSON.parse(stdout) }).toMatchObject({
      code: 2,
      stderr: "",
      error: { error: { code: "old_node", message: `needs Node 20.19 or newer; this is ${version}` } },
    });
  });

  it("20.19 and newer ones start", async () => {
    const cwd = workingFolder();
    for (const version of ["20.19.0", "22.0.0"])
      expect(await runAlone(["--version"], { cwd, env: OLD(cwd, version) })).toMatchObject({ code: 0 });
  });
});
