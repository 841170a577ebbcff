// The files of a project that has nothing but this package, by their names.

/** Needs no other package. */
const ALONE = {
  "library.mjs": `
    import assert from "node:assert/strict";
    import { startEmulator } from "trace-platform-emulator";

    const emulator = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z" });
    await emulator.clock.advance("PT1H");
    assert.equal(emulator.clock.now(), "2026-01-01T01:00:00.000000Z");
    assert.equal((await fetch(emulator.url + "/ok")).status, 200);
    await emulator.close();
  `,
  "contracts.mjs": `
    import assert from "node:assert/strict";
    import { startEmulator } from "trace-platform-emulator";
    import { createEmulatorTarget, runContracts } from "trace-platform-emulator/contracts";

    const target = createEmulatorTarget(startEmulator);
    const { ok, results } = await runContracts(target, { select: ["4.1"] });
    await target.close();
    assert.ok(ok && results.length > 5, JSON.stringify(results));
    assert.deepEqual([...new Set(results.map(({ verdict }) => verdict))], ["PASS"]);
  `,
  "child.mjs": `
    const { EMULATOR_URL, AWS_ENDPOINT_URL_S3 } = process.env;
    const reply = await fetch(EMULATOR_URL + "/threads", {
      method: "POST", body: "{}", headers: { "content-type": "application/json" },
    });
    console.log(reply.status, new URL(AWS_ENDPOINT_URL_S3).protocol, process.version);
    process.exitCode = 7;
  `,
  "fails/failing.scenario.yaml": `
scenario: A thread that nobody uses is busy.
now: 2026-03-01T00:00:00Z
given:
  - request: POST /threads
    body: {}
    capture: { thread: thread_id }
then:
  - request: GET /threads/\${thread}
    expect: { body: { status: busy } }
`,
  "idle.scenario.yaml": `
scenario: A new thread is idle.
now: 2026-03-01T00:00:00Z
given:
  - request: POST /threads
    body: {}
    capture: { thread: thread_id }
then:
  - request: GET /threads/\${thread}
    expect: { status: 200, body: { status: idle } }
`,
};

/** Each of these uses one of the packages that the entries are for. */
const WITH_PEERS = {
  "msw.mjs": `
    import assert from "node:assert/strict";
    import { setupServer } from "msw/node";
    import { startEmulator } from "trace-platform-emulator";
    import { emulatorHandlers } from "trace-platform-emulator/msw";

    const emulator = await startEmulator();
    const server = setupServer(...emulatorHandlers(emulator, { us: "https://api.traces.test" }));
    server.listen({ onUnhandledRequest: "error" });
    const reply = await fetch("https://api.traces.test/threads", {
      method: "POST", body: "{}", headers: { "content-type": "application/json" },
    });
    assert.match((await reply.json()).thread_id, /^[0-9a-f-]{36}$/);
    server.close();
    await emulator.close();
  `,
  "testcontainers.mjs": `
    import assert from "node:assert/strict";
    import { GenericContainer } from "testcontainers";
    import { EmulatorContainer } from "trace-platform-emulator/testcontainers";

    const container = new EmulatorContainer().withFrozenClock("2026-01-01T00:00:00Z").withSeed(3);
    assert.ok(container instanceof GenericContainer);
  `,
  "own.test.mjs": `
    import { expect } from "vitest";
    import { test } from "trace-platform-emulator/vitest";

    test("the export is whole", async ({ emulator, clock }) => {
      const { session_id } = await emulator.control("POST", "/traces/generate", { count: 30, project: "shop" });
      const ask = async (path, json) => (await (await emulator.request(path, { json })).json()).id;
      const destination = await ask("/api/v1/bulk-exports/destinations", {
        destination_type: "s3",
        display_name: "Mine",
        config: { bucket_name: "traces", prefix: "x", region: "us-east-1" },
        credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
      });
      const id = await ask("/api/v1/bulk-exports", {
        bulk_export_destination_id: destination,
        session_id,
        start_time: "2025-12-31T00:00:00Z",
        end_time: "2026-01-01T00:00:00Z",
      });
      await clock.advanceUntil(id);
      await expect(emulator).toHaveExported(id);
      expect(await emulator.request("/ok")).toMatchObject({ status: 200 });
    });
  `,
};

const TYPED = `
  import { type Emulator, type EmulatorOptions, startEmulator } from "trace-platform-emulator";
  import { type ContractRun, createEmulatorTarget, runContracts } from "trace-platform-emulator/contracts";
  import { emulatorHandlers } from "trace-platform-emulator/msw";
  import { EmulatorContainer, type StartedEmulatorContainer } from "trace-platform-emulator/testcontainers";
  import { test } from "trace-platform-emulator/vitest";
  import { setupServer } from "msw/node";
  import { expect } from "vitest";

  const options: EmulatorOptions = { clock: "frozen", limits: { workflow_timeout: "PT48H" } };
  const emulator: Emulator = await startEmulator(options);
  // @ts-expect-error A clock has two ways to go.
  await startEmulator({ clock: "stopped" });
  const mode: "flowing" | "frozen" = (await emulator.control("GET", "/clock")).mode;
  const turns: number[] = (await emulator.control("GET", "/journal?since=3")).map(({ turn }) => turn);
  // @ts-expect-error There is no control operation GET /clok.
  await emulator.control("GET", "/clok");
  // @ts-expect-error POST /clock/advance takes a duration as text.
  await emulator.control("POST", "/clock/advance", { by: 6 });
  // @ts-expect-error Did you mean file.written?
  await emulator.faults.arm({ target: "worker", match: { at: "file.writen" }, then: { crash: true } });
  const run: ContractRun = await runContracts(createEmulatorTarget(startEmulator), { select: ["4.1"] });
  const verdict: "PASS" | "UNSUPPORTED" | "NON-STRICT" | "UNSPECIFIED" | "FAIL" | undefined = run.results[0]?.verdict;
  setupServer(...emulatorHandlers(emulator, { us: "https://api.traces.test" })).listen();
  const container: StartedEmulatorContainer = await new EmulatorContainer().withSeed(3).withEnvironment({}).start();
  const address: string = container.s3Url;
  // @ts-expect-error There is no such address.
  container.s4Url;
  test("typed", async ({ emulator: own, clock }) => {
    await clock.advance("PT1H");
    await expect(own).toHaveExported(address, { rows: 60 });
    expect([verdict, mode, turns]).toHaveLength(3);
  });
`;

/** As `npm init` makes a project: CommonJS, in which nothing is awaited at the top. */
const TYPED_CJS = `
  import { type Emulator, type EmulatorOptions, startEmulator } from "trace-platform-emulator";
  import { createEmulatorTarget, runContracts } from "trace-platform-emulator/contracts";
  import { emulatorHandlers } from "trace-platform-emulator/msw";
  import { EmulatorContainer, type StartedEmulatorContainer } from "trace-platform-emulator/testcontainers";
  import { test } from "trace-platform-emulator/vitest";
  import { setupServer } from "msw/node";
  import { expect } from "vitest";

  export async function main(): Promise<boolean> {
    const options: EmulatorOptions = { clock: "frozen" };
    const emulator: Emulator = await startEmulator(options);
    // @ts-expect-error A clock has two ways to go.
    await startEmulator({ clock: "stopped" });
    setupServer(...emulatorHandlers(emulator, { us: "https://api.traces.test" })).listen();
    const container: StartedEmulatorContainer = await new EmulatorContainer().withSeed(3).start();
    const address: string = container.s3Url;
    const run = await runContracts(createEmulatorTarget(startEmulator), { select: ["4.1"] });
    test("typed", async ({ emulator: own, clock }) => {
      await clock.advance("PT1H");
      await expect(own).toHaveExported(address, { rows: 60 });
    });
    return run.ok;
  }
`;

const REQUIRED = `
  const assert = require("node:assert/strict");
  const { startEmulator } = require("trace-platform-emulator");
  const { CASES } = require("trace-platform-emulator/contracts");
  const { emulatorHandlers } = require("trace-platform-emulator/msw");
  const { EmulatorContainer } = require("trace-platform-emulator/testcontainers");

  startEmulator().then(async (emulator) => {
    assert.equal((await emulator.request("/ok")).status, 200);
    assert.equal(typeof EmulatorContainer, "function");
    assert.ok(emulatorHandlers(emulator, { us: "https://api.traces.test" }).length > 0 && Object.keys(CASES).length > 0);
    await emulator.close();
  });
`;

const settings = (module, moduleResolution, files = ["typed.ts"], isStrictAboutOthers = true, more = {}) =>
  JSON.stringify({
    compilerOptions: {
      ...more,
      module,
      moduleResolution,
      target: "es2023",
      lib: ["es2023", "dom"],
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: !isStrictAboutOthers,
      noEmit: true,
    },
    files,
  });

const TYPES = {
  "typed.ts": TYPED,
  "tsconfig.node16.json": settings("node16", "node16"),
  "tsconfig.nodenext.json": settings("nodenext", "nodenext", ["typed.ts", "typed.cts"]),
  "tsconfig.bundler.json": settings("esnext", "bundler"),
  "typed.cts": TYPED_CJS,
  "required.cjs": REQUIRED,
  // The declarations of msw import modules there, which only this kind of project refuses.
  "tsconfig.cjs-node16.json": settings("node16", "node16", ["typed.cts"], false),
  "tsconfig.cjs-bundler.json": settings("commonjs", "bundler", ["typed.cts"]),
};

/** For a compiler that still has this way to resolve modules, which does not read `exports`. */
const OLD_TYPES = {
  "typed-node10.ts": TYPED_CJS,
  "tsconfig.node10.json": settings("commonjs", "node10", ["typed-node10.ts"], false, {
    ignoreDeprecations: "6.0",
  }),
};

export const PROJECT = { ...ALONE, ...WITH_PEERS, ...TYPES, ...OLD_TYPES };

/** The settings of a type check, and the compiler that has them. */
export const TYPE_SETTINGS = [TYPES, OLD_TYPES].flatMap((files) =>
  Object.keys(files)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [name, files === TYPES ? "typescript/bin/tsc" : "@typescript/typescript6/bin/tsc6"]),
);
