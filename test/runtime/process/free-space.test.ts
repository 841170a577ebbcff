import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveConfiguration } from "../../../emulator/config/resolve.ts";
import { createFreeSpaceGuard } from "../../../emulator/runtime/process/free-space.ts";
import { type RunningEmulator, start } from "../../../emulator/runtime/start.ts";
import type { HttpRequest } from "../../../emulator/subjects/message.ts";
import { HEADERS } from "../../support/emulator.ts";

const MIB = 1024 * 1024;

let running: RunningEmulator;

beforeEach(async () => {
  const options = { port: 0, ephemeral: true, clock: "frozen" };
  const resolution = await resolveConfiguration({ cwd: "/", options });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  running = await start(resolution.configuration);
});

afterEach(() => running.close());

/** A disk of a thousand blocks of 1 MiB, so much of which is free. */
function freeSpaceOn(disk: { free: number }) {
  return createFreeSpaceGuard("data", () => ({ bavail: disk.free, blocks: 1000, bsize: MIB }));
}

function request(method: string, path: string, body: unknown = {}): HttpRequest {
  return {
    region: "us",
    method,
    path,
    query: "",
    headers: { ...HEADERS, host: "localhost" },
    body: new TextEncoder().encode(JSON.stringify(body)),
    address: "127.0.0.1",
  };
}

async function answer(disk: { free: number }, request: HttpRequest) {
  const { status, body } = await running.handle(freeSpaceOn(disk).withStorageProblem(request));
  return { status, body: JSON.parse(String(body)) };
}

const TURNS = () => running.world("main")?.runtime.world.state().turn;

describe("a disk without room", () => {
  it("is reported in the form of each server, and nothing is written", async () => {
    const before = TURNS();
    const says = expect.stringMatching(
      /^The disk with data is full, .*Free disk space .* repeat the request\.$/,
    );
    const full = { free: 16 };
    expect(await answer(full, request("POST", "/sessions", { name: "p" }))).toEqual({
      status: 413,
      body: { detail: says },
    });
    expect(await answer(full, request("POST", "/threads"))).toEqual({ status: 413, body: says });
    expect(await answer(full, request("POST", "/_emulator/v1/traces/generate", { count: 1 }))).toEqual({
      status: 413,
      body: { error: { code: "disk_full", message: expect.any(String), hint: expect.any(String) } },
    });
    expect(TURNS()).toBe(before);
  });

  it("still allows reads, clock moves and resets", async () => {
    const full = { free: 0 };
    expect((await answer(full, request("GET", "/api/v1/bulk-exports"))).status).toBe(200);
    expect((await answer(full, request("POST", "/threads/search"))).status).toBe(200);
    const advance = request("POST", "/_emulator/v1/clock/advance", { by: "PT1S" });
    expect((await answer(full, advance)).status).toBe(200);
    expect((await answer(full, request("POST", "/_emulator/v1/reset"))).status).toBe(200);
    await running.handle(request("POST", "/_emulator/v1/worlds", { id: "other" }));
    const inWorld = async (path: string, body: unknown) =>
      (await answer(full, request("POST", `/w/other${path}`, body))).status;
    expect(await inWorld("/_emulator/v1/clock/advance", { by: "PT1S" })).toBe(200);
    expect(await inWorld("/threads/search", {})).toBe(200);
    for (const path of ["/threads", "/_emulator/v1/worlds", "/_emulator/v1/snapshots"])
      expect(await inWorld(path, {})).toBe(413);
  });

  it("accepts the refused request once there is room", async () => {
    const disk = { free: 0 };
    const freeSpace = freeSpaceOn(disk);
    const original = request("POST", "/sessions", { name: "later" });
    expect((await running.handle(freeSpace.withStorageProblem(original))).status).toBe(413);
    disk.free = 18;
    expect((await running.handle(freeSpace.withStorageProblem(original))).status).toBe(200);
  });

  it("is one that a large body does not fit on", () => {
    const freeSpace = freeSpaceOn({ free: 20 });
    const large = { ...request("POST", "/runs/batch"), body: new Uint8Array(2 * MIB) };
    expect(freeSpace.withStorageProblem(large).storageProblem?.code).toBe("disk_full");
    expect(freeSpace.withStorageProblem(request("POST", "/runs/batch")).storageProblem).toBeUndefined();
  });

  it("keeps its reserve from objects as well", () => {
    const freeSpace = freeSpaceOn({ free: 20 });
    freeSpace.requireSpace(3 * MIB);
    expect(() => freeSpace.requireSpace(5 * MIB)).toThrow(expect.objectContaining({ code: "disk_full" }));
    expect(() => freeSpaceOn({ free: 15 }).requireSpace(0)).toThrow(/The disk with data is full/);
  });

  it("is looked for rarely while there is plenty of it, and small disks keep less in reserve", async () => {
    let looks = 0;
    const ample = createFreeSpaceGuard("data", () => {
      looks += 1;
      return { bavail: 2048, blocks: 4096, bsize: MIB };
    });
    for (let nth = 0; nth < 5; nth += 1) ample.withStorageProblem(request("POST", "/sessions"));
    expect(looks).toBe(1);
    const small = createFreeSpaceGuard("data", () => ({ bavail: 2, blocks: 10, bsize: MIB }));
    expect(small.withStorageProblem(request("POST", "/sessions")).storageProblem).toBeUndefined();
    expect([small.isFull(), freeSpaceOn({ free: 15 }).isFull()]).toEqual([false, true]);
    const status = await answer({ free: 2048 }, request("GET", "/_emulator/v1/status"));
    expect(status.body).toMatchObject({ disk_full: false, ended_by: null });
  });
});
