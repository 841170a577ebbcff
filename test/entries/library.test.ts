import { execFile } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = pathToFileURL(`${ROOT}dist/emulator/runtime/index.mjs`).href;

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z", seed: 4 });
});

afterEach(() => emulator.close());

describe("request", () => {
  it("sends requests in this process, with the interface of fetch", async () => {
    const reply = await emulator.request("/threads", { json: {} });
    expect([reply.status, reply.ok, reply.headers.get("content-type")]).toEqual([
      200,
      true,
      "application/json",
    ]);
    const { thread_id } = (await reply.json()) as { thread_id: string };
    const response = await emulator.request(`/threads/${thread_id}?x=1`);
    expect(await response.json()).toMatchObject({ thread_id, status: "idle" });
    expect(
      (
        await emulator.request("/sessions", {
          headers: { "X-Tenant-Id": "00000000-0000-4000-8000-0000000000aa" },
        })
      ).status,
    ).toBe(200);
    expect((await emulator.request(new Request("http://anywhere.test/ok"))).status).toBe(200);
  });

  it("reaches the region that is named, or that the address is of", async () => {
    const runs = [
      {
        id: "00000000-0000-4000-8000-0000000000b1",
        trace_id: "00000000-0000-4000-8000-0000000000b1",
        dotted_order: "20260101T000000000000Z00000000-0000-4000-8000-0000000000b1",
        name: "n",
        run_type: "chain",
        start_time: "2026-01-01T00:00:00Z",
        inputs: {},
        session_name: "eu-only",
      },
    ];
    await emulator.request("/runs/batch", { region: "eu", json: { post: runs } });
    const count = async (reply: Response) => ((await reply.json()) as unknown[]).length;
    expect(await count(await emulator.request("/sessions?name=eu-only"))).toBe(0);
    expect(await count(await emulator.request("/sessions?name=eu-only", { region: "eu" }))).toBe(1);
    const request = new Request(`${emulator.euUrl}/sessions?name=eu-only`, { headers: { "x-api-key": "k" } });
    expect(await count(await emulator.request(request))).toBe(1);
  });

  it("accepts compressed bodies, and refuses broken ones as the port does", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const send = (body: Uint8Array<ArrayBuffer>, encoding = "gzip") =>
      emulator.request("/threads", {
        method: "POST",
        headers: { ...headers, "content-encoding": encoding },
        body,
      });
    const zipped = Uint8Array.from(gzipSync('{"metadata":{"a":1}}'));
    expect(await (await send(zipped)).json()).toMatchObject({ metadata: { a: 1 } });
    expect((await send(zipped.slice(0, 9))).status).toBe(415);
    expect((await send(zipped, "lzma")).status).toBe(415);
    const bomb = Uint8Array.from(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    expect((await send(bomb)).status).toBe(413);
  });

  it("streams, and frees everything when the reader stops", async () => {
    const stream = await emulator.request("/runs/stream", {
      json: { assistant_id: "agent", input: {}, stream_mode: ["values"] },
    });
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const reader = stream.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("event: metadata");
    await reader?.cancel();
    expect(await emulator.control("GET", "/status")).toMatchObject({ open_streams: 0 });
    const whole = await (
      await emulator.request("/runs/stream", { json: { assistant_id: "agent", input: {} } })
    ).text();
    expect(whole).toContain("event: values");
  });
});

describe("faults", () => {
  it("are armed, listed and removed", async () => {
    const { id, hits } = await emulator.faults.arm({
      target: "http",
      match: { op: "listBulkExports" },
      then: { status: 503 },
    });
    await emulator.faults.arm({ preset: "worker_crash", times: 2 });
    expect(hits).toBe(0);
    expect((await emulator.request("/api/v1/bulk-exports")).status).toBe(503);
    expect((await emulator.faults.list()).map(({ target, hits: triggered }) => [target, triggered])).toEqual([
      ["http", 1],
      ["worker", 0],
    ]);
    await emulator.faults.clear(id);
    expect(await emulator.faults.list()).toHaveLength(1);
    await emulator.faults.clear();
    expect(await emulator.faults.list()).toEqual([]);
    await expect(
      emulator.faults.arm({ target: "http", match: { op: "nothing*" }, then: { status: 503 } }),
    ).rejects.toThrow(/nothing/);
  });
});

describe("emulators in one process", () => {
  it("share nothing", async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => startEmulator({ clock: "frozen" })));
    const all = [emulator, ...others];
    expect(new Set(all.flatMap(({ url, euUrl, s3Url }) => [url, euUrl, s3Url])).size).toBe(18);
    await others[0]?.request("/threads", { json: {} });
    const counts = await Promise.all(
      all.map(async (each) => (await each.request("/threads/count", { json: {} })).json()),
    );
    expect(counts).toEqual([0, 1, 0, 0, 0, 0]);
    await Promise.all(others.map((each) => each.close()));
    expect(await emulator.request("/ok?a=1")).toMatchObject({ status: 200, url: `${emulator.url}/ok?a=1` });
  });

  it("take problems of their options one by one", async () => {
    await expect(startEmulator({ seed: -1, limits: { max_retries: -1 } })).rejects.toThrow(
      /seed[\s\S]*max_retries/,
    );
  });

  it("close more than once without a fuss", async () => {
    const other = await startEmulator();
    await Promise.all([other.close(), other.close()]);
    await other[Symbol.asyncDispose]();
    expect(await fetch(other.url).catch(() => "gone")).toBe("gone");
  });
});

describe("an emulator that was closed", () => {
  it("refuses all requests, also to its worlds, instead of answering from memory", async () => {
    const closed = await startEmulator({ clock: "frozen" });
    const world = await closed.fork();
    await closed.close();
    for (const each of [closed, world]) {
      const stop = [
        () => each.clock.advance("PT1H"),
        () => each.request("/threads", { json: {} }),
        () => each.fork(),
        () => each.reset(),
        () => each.snapshots.save("late"),
        async () => each.clock.now(),
      ];
      for (const ask of stop) await expect(ask()).rejects.toThrow("The emulator was closed");
      await each.close();
    }
  });
});

describe("a process that has used emulators", () => {
  /** Worlds are closed before their emulator, left to it, and forked from one that is gone. */
  it("ends by itself when they are closed, with the worlds that were forked from them", async () => {
    const program = `
      import { startEmulator } from ${JSON.stringify(BUILT)};
      const emulators = await Promise.all([1, 2].map((seed) => startEmulator({ clock: seed === 1 ? "flowing" : "frozen", seed })));
      const closed = await emulators[0].fork();
      const left = await emulators[0].fork();
      const grandchild = await closed.fork();
      const frozen = await emulators[1].fork();
      await frozen.request("/runs/stream", { json: { assistant_id: "agent", input: {} } });
      const follower = await fetch(frozen.url + "/_emulator/v1/journal?follow=1");
      for (const emulator of [...emulators, closed, left, grandchild, frozen]) {
        const { session_id } = await emulator.control("POST", "/traces/generate", { count: 50, project: "p" });
        const destination = await emulator.request("/api/v1/bulk-exports/destinations", { json: { destination_type: "s3", display_name: "d",
          config: { bucket_name: "traces", prefix: "p", region: "us-east-1" }, credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" } } });
        const { id } = await destination.json();
        const creation = await emulator.request("/api/v1/bulk-exports", { json: { bulk_export_destination_id: id, session_id,
          start_time: new Date(Date.parse(emulator.clock.now()) - 864e5).toISOString(), end_time: emulator.clock.now() } });
        const { id: exported } = await creation.json();
        await emulator.clock.advance({ until: { export: exported, status: "COMPLETED" } });
        await fetch(emulator.url + "/ok").then((reply) => reply.text());
        console.log((await emulator.verifyExport(exported)).ok);
        if (emulator === closed) await closed.close();
      }
      const text = follower.text().catch(() => undefined);
      await Promise.all(emulators.map((emulator) => emulator.close()));
      await text;
      process.on("exit", () => console.log("open:", process.getActiveResourcesInfo().filter((name) => !/^(Pipe|TTY|FSReq|TCPSocket|ConnectWrap|Immediate)/.test(name)).join()));`;
    const { stdout, error } = await new Promise<{ stdout: string; error: Error | null }>((resolve) => {
      execFile(process.execPath, ["--input-type=module", "-e", program], { cwd: ROOT }, (error, stdout) =>
        resolve({ stdout, error }),
      );
    });
    expect(error).toBe(null);
    expect(stdout).toBe(`${"true\n".repeat(6)}open: \n`);
  });
});
