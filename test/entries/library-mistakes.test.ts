import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/runtime/index.ts";
import { createLibraryExport } from "../support/library-export.ts";

const opened: Emulator[] = [];

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const one = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z", ...options });
  opened.push(one);
  return one;
}

let emulator: Emulator;

beforeEach(async () => {
  emulator = await start();
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close({ unusedFaults: "ignore" });
});

/** What a promise is rejected with. */
function expectRefusal(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => expect.fail("it was not refused"),
    (error: Error) => error,
  );
}

/** The line of an error's stack that comes first. */
function firstFrame({ stack = "" }: Error): string {
  return stack.split("\n").find((line) => line.startsWith("    at ")) ?? "";
}

describe("an error of a refused call", () => {
  it("has the requirement of the specification, if there is one", async () => {
    const { session_id } = await emulator.control("POST", "/traces/generate", { count: 1 });
    expect(session_id).toMatch(/^[0-9a-f-]{36}$/);
    const row = await expectRefusal(emulator.control<unknown>("PUT", "/rate-limits/none", { remaining: 0 }));
    expect(row).toMatchObject({ status: 404, code: "not_found", requirement: "8.5-1" });
    const own = await expectRefusal(emulator.fork({ from: "nowhere" }));
    expect(own).toMatchObject({ status: 404, code: "unknown_source", requirement: undefined });
  });

  it("points to the line of the call, whichever member was called", async () => {
    const [forking, loading, exporting, moving] = [
      () => emulator.fork({ from: "nowhere" }),
      () => emulator.snapshots.load("none"),
      () => emulator.snapshots.export("none", "/nowhere/else.tar"),
      () => emulator.clock.advance("6 hours"),
    ];
    for (const ask of [forking, loading, exporting, moving])
      expect(firstFrame(await expectRefusal(ask()))).toContain("library-mistakes.test.ts");
    expect(firstFrame(await expectRefusal(emulator.at(1).control("POST", "/clock/freeze")))).toContain(
      "library-mistakes.test.ts",
    );
  });

  it("is one for a snapshot's file as well, with its members", async () => {
    expect(await expectRefusal(emulator.snapshots.export("none", "/tmp/none.tar"))).toMatchObject({
      name: "ErrorReply",
      status: 404,
      code: "unknown_snapshot",
      hint: expect.stringContaining("lists the snapshots"),
    });
  });
});

describe("replies of the API that refuse", () => {
  const requirementOf = async (path: string, init: Parameters<Emulator["request"]>[1]) =>
    (await emulator.request(path, init)).headers.get("x-emulator-requirement");

  it("name in a header the statement that requires it, and have no header without one", async () => {
    expect(await requirementOf("/api/v1/bulk-exports", { json: {} })).toBe("4.3-1");
    expect(await requirementOf("/threads/none/runs/stream", { json: { assistant_id: 1 } })).toBe("4.8-1");
    const webhook = "ftp://example.com/hook";
    expect(await requirementOf("/runs", { json: { assistant_id: "agent", webhook } })).toBe("6-3");
    expect(await requirementOf("/threads", { json: {} })).toBe(null);
    expect(await requirementOf("/threads/00000000-0000-4000-8000-0000000000ff", {})).toBe(null);
  });
});

describe("a fault that was never triggered", () => {
  it("is a warning of the process when its emulator is closed, with the line that armed it", async () => {
    const warned = new Promise<Error & { readonly code?: string }>((resolve) => {
      process.on("warning", function heard(warning: Error & { readonly code?: string }) {
        if (warning.code !== "UNUSED_FAULT") return;
        process.off("warning", heard);
        resolve(warning);
      });
    });
    await emulator.faults.arm({ preset: "worker_crash" });
    await emulator.close();
    const warning = await warned;
    expect(warning.name).toBe("EmulatorWarning");
    expect(warning.message).toMatch(
      /^The fault \{"preset":"worker_crash".*\} was never triggered\. If that is intended, arm it with optional: true\. It was armed at .*library-mistakes\.test\.ts:\d+:\d+/,
    );
  });

  it("is an error when checked, at the end, and under strict", async () => {
    const strict = await start({ strict: true });
    for (const each of [emulator, strict]) {
      await each.control("POST", "/faults", { preset: "worker_crash" });
      const error = await expectRefusal(each.close(each === strict ? {} : { unusedFaults: "error" }));
      expect(error.message).toContain("was never triggered");
      expect(firstFrame(error)).toContain("library-mistakes.test.ts");
      expect(() => each.clock.now()).toThrow("The emulator was closed");
    }
  });

  it("is named when its world is closed, and with the emulator where its world is still open", async () => {
    const [closed, left] = [await emulator.fork(), await emulator.fork()];
    for (const each of [closed, left]) await each.faults.arm({ preset: "worker_crash" });
    expect((await expectRefusal(closed.close({ unusedFaults: "error" }))).message).toContain(
      "was never triggered",
    );
    expect((await expectRefusal(emulator.close({ unusedFaults: "error" }))).message).toContain(
      "was never triggered",
    );
  });

  it("is ignored when it is optional, was triggered, was removed, or by option", async () => {
    await emulator.faults.arm({ preset: "worker_crash", optional: true });
    await emulator.faults.arm({ target: "http", match: { op: "listBulkExports" }, then: { status: 503 } });
    const { id } = await emulator.faults.arm({ preset: "worker_crash" });
    expect((await emulator.request("/api/v1/bulk-exports")).status).toBe(503);
    await emulator.faults.clear(id);
    await emulator.close({ unusedFaults: "error" });
    const other = await start();
    await other.faults.arm({ preset: "worker_crash" });
    await other.close({ unusedFaults: "ignore" });
  });
});

describe("a call that was not waited for", () => {
  it("is named as such when its emulator is closed meanwhile, with its line", async () => {
    await emulator.request("/runs/crons", { json: { assistant_id: "echo", schedule: "* * * * * *" } });
    const moving = expectRefusal(emulator.clock.advance("P3650D"));
    await emulator.close();
    const error = await moving;
    expect(error.message).toBe(
      "advance() had not finished when the emulator was closed. Is an await missing?",
    );
    expect(error.cause).toBeInstanceOf(Error);
    expect(firstFrame(error)).toContain("library-mistakes.test.ts");
  });

  it("is something else than a call after the end", async () => {
    const world = await emulator.fork();
    await world.close();
    const after = [() => world.control("GET", "/clock"), () => world.request("/ok"), () => world.fork()];
    for (const ask of after)
      expect(await expectRefusal(ask())).toMatchObject({
        name: "EmulatorClosed",
        message: `The world ${world.world} was closed; fork() gives another.`,
      });
    expect(() => world.clock.now()).toThrow("fork() gives another");
  });
});

describe("the clock", () => {
  it("moves until an export has a status, and explains why it cannot have it", async () => {
    const window = ["2025-12-31T00:00:00Z", "2026-01-01T00:00:00Z"] as const;
    const id = await createLibraryExport(emulator, window, { count: 3 });
    expect(await emulator.clock.advanceUntil(id)).toMatchObject({ reached: true });
    expect(await expectRefusal(emulator.clock.advanceUntil(id, "FAILED"))).toMatchObject({
      name: "AdvanceUnfinished",
      message: expect.stringMatching(`The clock did not get to "${id} FAILED": it has ended`),
      result: { reached: false },
    });
    expect(await expectRefusal(emulator.clock.advanceUntil(id, "DONE"))).toMatchObject({
      requirement: "3.1-1",
    });
  });
});

describe("misspelled names", () => {
  it("is refused instead of ignored", async () => {
    const order: object = { name: "mine" };
    expect((await expectRefusal(emulator.fork(order))).message).toContain(
      "body.name: is not a known field; Valid names: id",
    );
    const init: object = { region: "uk" };
    expect((await expectRefusal(emulator.request("/ok", init))).message).toBe(
      'region: "uk" is neither us nor eu',
    );
  });
});

it("a port in use names its emulator", async () => {
  const port = Number(new URL(emulator.url).port);
  expect(await expectRefusal(startEmulator({ port }))).toMatchObject({
    name: "StartProblem",
    code: "EADDRINUSE",
    message: expect.stringMatching(
      `^port \\d+(?: \\(.*\\))?: an emulator uses it \\(process ${process.pid}, version .*, data in memory\\); close\\(\\) it, or choose another --port`,
    ),
  });
});
