import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { type Capsule, readCapsule, writeCapsule } from "../../../emulator/runtime/capsules/file.ts";
import { run } from "../../support/command-line.ts";
import { launch, workingFolder } from "../../support/emulator-process.ts";
import { countThreads, send } from "../../support/send.ts";

const SECRET = "a-secret-of-mine";
const KEY = `{ access_key_id: mine, secret_access_key: ${SECRET} }`;

let cwd: string;

beforeEach(() => {
  cwd = workingFolder();
});

function write(name: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), `${lines.join("\n")}\n`);
}

/** A scenario of several files that fails at its end, with a secret that two steps share. */
function writeFailing(): void {
  write("parts/key.yaml", "steps:", "  - control: POST /s3/credentials", `    body: ${KEY}`);
  write(
    "parts/runs.json",
    '[{ "id": "018f4f00-0000-7000-8000-000000000001", "name": "a", "run_type": "chain", "start_time": "2026-02-27T10:00:00Z" }]',
  );
  write(
    "mine/bad.scenario.yaml",
    "scenario: A status that is another one.",
    "seed: 9",
    "now: 2026-03-01T00:00:00Z",
    "given:",
    "  - include: ../parts/key.yaml",
    "  - seed: { file: ../parts/runs.json, project: shop }",
    "  - request: POST /api/v1/bulk-exports/destinations",
    "    body:",
    "      destination_type: s3",
    "      display_name: D",
    "      config: { bucket_name: traces, prefix: x, region: us-east-1 }",
    `      credentials: ${KEY}`,
    "  - request: POST /threads",
    "    body: {}",
    "then:",
    "  - request: GET /ok",
    "    expect: { status: 201 }",
  );
}

async function keep(): Promise<void> {
  writeFailing();
  const { code, stdout } = await run(["replay", "mine", "--capsule", "a.capsule"], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("bad is kept in ") });
}

/** Brings a capsule up; resolves once its addresses are printed. */
async function open(file: string, folder: string) {
  const opened = launch(["open", file], { cwd: folder });
  let output = "";
  opened.child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  while (!output.includes("   S3 ")) await once(opened.child.stdout, "data");
  const [, url = ""] = /^(http:\S+) {3}EU/m.exec(output) ?? [];
  return { opened, shown: output, url };
}

describe("the capsule of a scenario that fails", () => {
  it("repeats the failure elsewhere, without the secrets", async () => {
    await keep();
    const plain = gunzipSync(readFileSync(join(cwd, "a.capsule"))).toString("latin1");
    expect(plain).toContain("left-out-1");
    expect(plain).not.toContain(SECRET);
    const elsewhere = workingFolder();
    writeFileSync(join(elsewhere, "b.capsule"), readFileSync(join(cwd, "a.capsule")));
    const { code, stdout } = await run(["replay", "b.capsule"], { cwd: elsewhere });
    expect(code).toBe(1);
    expect(stdout).toContain(
      "secrets replaced: 1\nthe failure was reproduced\n  then[0]\n    status: expected 201, found 200",
    );
  });

  it("opens in the state in which it failed", async () => {
    await keep();
    const { opened, shown, url } = await open("a.capsule", cwd);
    expect(shown).toContain("the state is that after then[0]: status: expected 201, found 200");
    const { body } = await send(url, "GET", "/_emulator/v1/status");
    expect(body).toMatchObject({ seed: 9, now: expect.stringContaining("2026-03-01T00:00:00") });
    expect(await countThreads(url)).toBe(1);
    opened.child.kill("SIGINT");
    expect((await opened.ended).code).toBe(0);
  });

  it("reports a different result, and the versions that recorded and played it", async () => {
    await keep();
    const file = join(cwd, "a.capsule");
    const { facts, journal, scenario, remove }: Capsule = await readCapsule(file);
    const text = readFileSync(scenario, "utf8");
    remove();
    const failure = { label: "then[0]", differences: ["status: expected 201, found 500"] };
    const name = "bad.scenario.yaml";
    const files = new Map([
      [
        name,
        text
          .replace(/^ {2}- (include|seed).*\n/gm, "")
          .replace("left-out-1", "emulator-secret")
          .replace("access_key_id: mine", "access_key_id: emulator"),
      ],
    ]);
    await writeCapsule(file, {
      facts: { ...facts, scenario: name, failure, version: "0.0.9", node: "v18.0.0" },
      journal,
      files,
    });
    const { code, stdout } = await run(["replay", "a.capsule"], { cwd });
    expect(code).toBe(3);
    expect(stdout).toContain(
      "the result differs; it was:\n  then[0]\n    status: expected 201, found 500\nand is:",
    );
    expect(stdout).toMatch(/it was made by version 0\.0\.9 on Node v18\.0\.0; this is \S+ on v\d+/);
  });
});

it("a capsule that would hold too much is refused, and nothing is written", async () => {
  const file = join(cwd, "large.capsule");
  const journal = "x".repeat(64 * 1024 * 1024);
  const facts = { scenario: "a.yaml" } as Capsule["facts"];
  await expect(writeCapsule(file, { facts, journal, files: new Map() })).rejects.toThrow(
    "of a capsule may have 67108864 bytes, and these have",
  );
  expect(existsSync(file)).toBe(false);
});

describe("the capsule of a command that fails", () => {
  it("contains the requests of its emulator, and replays with the recorded replies", async () => {
    const source =
      'await fetch(process.env.EMULATOR_URL + "/threads", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }); process.exit(7)';
    const words = [
      "exec",
      "--capsule",
      "c.capsule",
      "--",
      process.execPath,
      "--input-type=module",
      "-e",
      source,
    ];
    const { code, stderr } = await run(words, { cwd });
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringContaining("the requests are kept in "),
    });
    const again = await run(["replay", "c.capsule"], { cwd });
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("the command ended with exit code 7"),
    });
    expect(again.stdout).toContain("the result matches the recording");
  });
});

describe("the capsule of a world that was there before", () => {
  const program = (count: number, end: string) => [
    process.execPath,
    "--input-type=module",
    "-e",
    `for (let n = 0; n < ${count}; n += 1) await fetch(process.env.EMULATOR_URL + "/threads", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }); ${end}`,
  ];

  it("begins with its snapshot, and has the settings of the command", async () => {
    write("emulator.config.yaml", "limits: { rows_per_file: 7 }");
    const data = ["exec", "--data", "d", "--clock", "frozen"];
    expect((await run([...data, "--", ...program(3, "")], { cwd })).code).toBe(0);
    const outcome = await run([...data, "--capsule", "d.capsule", "--", ...program(2, "process.exit(4)")], {
      cwd,
    });
    expect(outcome).toMatchObject({ code: 4, stderr: expect.stringContaining("the requests are kept in ") });
    const elsewhere = workingFolder();
    writeFileSync(join(elsewhere, "d.capsule"), readFileSync(join(cwd, "d.capsule")));
    expect(await run(["replay", "d.capsule"], { cwd: elsewhere })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("the result matches the recording"),
    });
    const { facts, snapshot, remove } = await readCapsule(join(elsewhere, "d.capsule"));
    remove();
    expect(facts.settings).toEqual({ "limits.rows_per_file": 7 });
    expect(snapshot).toBe(join(elsewhere, "d.capsule"));
    const { url, opened } = await open("d.capsule", elsewhere);
    expect(await countThreads(url)).toBe(5);
    opened.child.kill("SIGINT");
    expect((await opened.ended).code).toBe(0);
  });
});

describe("a file that is not a capsule", () => {
  it("is refused whole: torn, changed or empty", async () => {
    await keep();
    const bytes = readFileSync(join(cwd, "a.capsule"));
    const damaged = {
      torn: bytes.subarray(0, bytes.length - 40),
      changed: Buffer.concat([bytes.subarray(0, 200), Buffer.from("x"), bytes.subarray(201)]),
      empty: Buffer.alloc(0),
    };
    for (const [name, content] of Object.entries(damaged)) {
      writeFileSync(join(cwd, `${name}.capsule`), content);
      for (const command of ["replay", "open"])
        expect(await run([command, `${name}.capsule`], { cwd })).toMatchObject({
          code: 2,
          stdout: "",
          stderr: expect.stringContaining(`${name}.capsule is not a capsule, or it is damaged`),
        });
    }
  });

  it.each([
    ["replay none.capsule", "no such file"],
    ["open none.capsule", "no such file"],
    ["replay . --capsule no/such/folder.capsule", "its folder does not exist"],
    [
      "replay . --capsule a.capsule --target http://127.0.0.1:1",
      "--capsule: it cannot be combined with --target",
    ],
  ])("nor what cannot be one: %s", async (words, said) => {
    const { code, stderr } = await run(words.split(" "), { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
  });
});
