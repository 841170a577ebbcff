import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeCapsule } from "../../../emulator/runtime/capsules/file.ts";
import { type Receiver, startReceiver } from "../../subjects/webhooks/receivers.ts";
import { run } from "../../support/command-line.ts";
import { launch, workingFolder } from "../../support/emulator-process.ts";

const LOCAL_SECRET = "secret-of-this-machine";
const FACTS = {
  version: "0.1.0",
  node: "v22.0.0",
  made_by: "replay",
  command: "npx emulator replay x",
  scenario: "x.scenario.yaml",
  seed: 1,
  failure: { label: "then[0]", differences: ["status: expected 201, found 200"] },
  notes: [],
  settings: {},
  left_out: 0,
} as const;
const FAILING = ["then:", "  - request: GET /ok", "    expect: { status: 201 }"];

let cwd: string;
let receiver: Receiver;

beforeEach(async () => {
  cwd = workingFolder();
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

/** Writes x.capsule with these lines of a scenario and these facts. */
async function write(lines: readonly string[], facts: object = {}): Promise<void> {
  const text = ["scenario: A capsule from somebody else.", ...lines, ...FAILING, ""].join("\n");
  await writeCapsule(join(cwd, "x.capsule"), {
    facts: { ...FACTS, ...facts },
    journal: "",
    files: new Map([["x.scenario.yaml", text]]),
  });
}

const replay = (more: readonly string[] = [], env: Record<string, string> = {}) =>
  run(["replay", "x.capsule", ...more], { cwd, env });

describe("without --trust a capsule", () => {
  it("reaches no other host, neither with a webhook nor with an export", async () => {
    await write([
      "given:",
      "  - request: POST /threads",
      "    body: {}",
      "    capture: { thread: thread_id }",
      "  - request: POST /threads/${thread}/runs",
      '    body: { assistant_id: agent, webhook: "http://192.0.2.1/hook" }',
      "  - advance: PT10M",
      "  - control: GET /webhooks/deliveries",
      '    expect: { body: { "0.attempts.0": { failure: policy, message: { $regex: "192.0.2.1 is not this machine" } } } }',
      "  - request: POST /api/v1/bulk-exports/destinations",
      "    body:",
      "      destination_type: s3",
      "      display_name: D",
      '      config: { bucket_name: b, prefix: p, endpoint_url: "http://192.0.2.1" }',
      "      credentials: { access_key_id: a, secret_access_key: b }",
      '    expect: { status: 400, body: { detail: { $regex: "server.isolated" } } }',
    ]);
    expect(await replay()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("the failure was reproduced"),
    });
  });

  it("uses no environment variables for destinations", async () => {
    await write([
      "settings: { deployment: self-hosted }",
      "given:",
      "  - request: POST /api/v1/bulk-exports/destinations",
      "    body:",
      "      destination_type: s3",
      "      display_name: D",
      `      config: { bucket_name: b, prefix: p, endpoint_url: "${receiver.url}" }`,
      '    expect: { status: 400, body: { detail: { $regex: "server.isolated" } } }',
    ]);
    const env = { AWS_ACCESS_KEY_ID: "mine", AWS_SECRET_ACCESS_KEY: LOCAL_SECRET };
    expect(await replay([], env)).toMatchObject({ code: 1 });
    expect(receiver.received).toEqual([]);
    await replay(["--trust"], env);
    expect(receiver.received[0]?.headers.authorization).toContain("Credential=mine/");
  });

  it("uses no environment variables for headers of webhooks", async () => {
    const settings = { "webhooks.headers": { "X-Token": "${{ env.LG_WEBHOOK_TOKEN }}" } };
    await write([], { settings });
    const env = { LG_WEBHOOK_TOKEN: LOCAL_SECRET };
    for (const command of ["replay", "open"])
      expect(await run([command, "x.capsule"], { cwd, env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("the environment variable LG_WEBHOOK_TOKEN is missing"),
      });
    expect(await replay(["--trust"], env)).toMatchObject({ code: 1 });
  });

  it.each([
    ["server.export_on_exit", { exportOnExit: "taken.zip" }],
    ["server.import_secrets", { server: { import_secrets: "local.json" } }],
    ["seed_data.traces", { seed_data: { traces: [{ file: "local.json", project: "p" }] } }],
    ["config", { config: "local.json" }],
    ["server.isolated", { "server.isolated": false }],
  ])("cannot have the setting %s", async (path, settings) => {
    writeFileSync(join(cwd, "local.json"), JSON.stringify({ seed: LOCAL_SECRET }));
    await write([`settings: ${JSON.stringify(settings)}`]);
    await expectRefusal(`the capsule has the setting ${path}`);
    expect(existsSync(join(cwd, "taken.zip"))).toBe(false);
  });

  it("may not read a file outside of itself", async () => {
    const file = join(cwd, "local.json");
    writeFileSync(file, JSON.stringify({ post: [{ name: LOCAL_SECRET }] }));
    const isRefused = () =>
      expectRefusal("is not a file of the capsule; if you trust its author, give --trust");
    await write(["given:", `  - include: ${file}`]);
    await isRefused();
    await write(["given:", `  - seed: { file: ${file}, project: p }`]);
    await isRefused();
    await write([`variables: { file: ${file} }`, "given:", '  - seed: { file: "${file}", project: p }']);
    await isRefused();
  });

  it.each([
    ["failure", { failure: "x" }],
    ["notes", { notes: [{}] }],
    ["seed", { seed: "1" }],
    ["scenario", { scenario: "../../x.scenario.yaml" }],
  ])("is refused with wrong facts: %s", async (name, facts) => {
    await write([], facts);
    await expectRefusal(`is not a valid capsule: capsule.json.${name}`);
  });

  it("is refused with an invalid scenario", async () => {
    await write(["given:", "  - unknown: 1"]);
    await expectRefusal("given[0]: not a known step");
  });
});

it("the requests of an opened capsule stay at the emulator", async () => {
  const host = receiver.url.slice("http://".length);
  await write([
    "given:",
    `  - fault: { target: http, match: { op: ok }, then: { status: 307, headers: { location: "${receiver.url}" } }, optional: true }`,
    "  - request: GET /ok",
    "    expect: { status: 307 }",
    `  - request: "GET @${host}/stolen"`,
  ]);
  const { child, ended } = launch(["open", "x.capsule"], { cwd });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  while (child.stdout && !output.includes("   S3 ")) await once(child.stdout, "data");
  expect(output).toContain(`the state is that after given[2]: GET @${host}/stolen: the path does not begin`);
  expect(receiver.received).toEqual([]);
  child.kill("SIGINT");
  expect((await ended).code).toBe(0);
});

/** `replay` and `open` end with this problem, and print nothing of this machine. */
async function expectRefusal(problem: string): Promise<void> {
  for (const command of ["replay", "open"]) {
    const outcome = await run([command, "x.capsule"], { cwd });
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    expect(JSON.stringify(outcome)).not.toContain(LOCAL_SECRET);
  }
}
