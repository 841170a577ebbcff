import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningCli, startCli } from "../support/cli.ts";
import { run } from "../support/command-line.ts";
import { BEGIN, DESTINATION, HEADERS } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";

const WINDOW = { from: "2026-02-25T00:00:00Z", to: "2026-02-28T00:00:00Z" };
const folder = mkdtempSync(join(tmpdir(), "command-line-"));

let cli: RunningCli;
let store: S3Client;
let exportId: string;
let keys: string[];

async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const reply = await fetch(cli.ready.url + path, {
    method,
    headers: HEADERS,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([path, reply.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)]);
  return (await reply.json()) as T;
}

/** Runs a command; those that look for an emulator find the running one by the locator in the data folder. */
const command = (...words: readonly string[]) => run(words, { cwd: folder });

const there = ["--data", folder] as const;

beforeAll(async () => {
  cli = await startCli("--data", folder, "--clock", "frozen", "--now", BEGIN);
  store = objectStore(cli.ready.s3_url);
  const generated = await send<{ session_id: string }>("POST", "/_emulator/v1/traces/generate", {
    count: 90,
    project: "shop",
    ...WINDOW,
  });
  const destination = await send<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", DESTINATION);
  const bulkExport = await send<{ id: string }>("POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: destination.id,
    session_id: generated.session_id,
    start_time: WINDOW.from,
    end_time: WINDOW.to,
  });
  exportId = bulkExport.id;
  await send("POST", "/_emulator/v1/clock/advance", { until: { export: exportId, status: "COMPLETED" } });
});

afterAll(async () => {
  store.destroy();
  if (cli.child.exitCode === null) await cli.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

async function bytesOf(key: string): Promise<Uint8Array<ArrayBuffer>> {
  const { Body } = await store.send(new GetObjectCommand({ Bucket: "traces", Key: key }));
  return new Uint8Array((await Body?.transformToByteArray()) ?? []);
}

describe("the files of an export, fetched with the AWS SDK from the S3 port", () => {
  it("are listed under the export's prefix, and nothing else is in the bucket", async () => {
    const { Contents = [] } = await store.send(new ListObjectsV2Command({ Bucket: "traces" }));
    keys = Contents.map(({ Key }) => String(Key));
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(key).toContain(`exports/export_id=${exportId}/`);
  });

  it("hold every row once", async () => {
    const ids = new Set<string>();
    for (const key of keys) {
      const { buffer } = await bytesOf(key);
      const rows = (await parquetReadObjects({ file: buffer, columns: ["id"] })) as { id: string }[];
      for (const { id } of rows) ids.add(id);
    }
    expect(ids.size).toBe(90);
  });
});

describe("verify-export", () => {
  it("ends with exit code 0 for a complete export", async () => {
    expect(await command("verify-export", exportId, ...there)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("90 rows in 3 files"),
    });
  });

  it("ends with exit code 1 and names the problem of a damaged export", async () => {
    const [first = "", second = ""] = keys;
    const original = await bytesOf(first);
    await store.send(new PutObjectCommand({ Bucket: "traces", Key: first, Body: await bytesOf(second) }));
    const swapped = await command("verify-export", exportId, ...there);
    expect(swapped.code).toBe(1);
    expect(swapped.stdout + swapped.stderr).toContain(first);
    await store.send(new DeleteObjectCommand({ Bucket: "traces", Key: first }));
    const missing = await command("verify-export", exportId, "--json", ...there);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain("missing_file");
    await store.send(new PutObjectCommand({ Bucket: "traces", Key: first, Body: original }));
    expect((await command("verify-export", exportId, ...there)).code).toBe(0);
  });
});

describe("the other commands", () => {
  it("find the running emulator", async () => {
    expect((await command("status", ...there)).stdout).toContain(cli.ready.url);
    expect((await command("wait", ...there)).code).toBe(0);
    expect((await command("doctor", ...there)).stdout).toContain(cli.ready.url);
    const environment = (await command("env", ...there)).stdout;
    expect(environment).toContain(`export EMULATOR_URL='${cli.ready.url}'`);
    expect(environment).toContain(`export AWS_ENDPOINT_URL_S3='${cli.ready.s3_url}'`);
  });

  it("print the document of the interface", async () => {
    const document = JSON.parse((await command("openapi")).stdout);
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toContain("/api/v1/bulk-exports/{export_id}/runs");
  });

  it("refuse a data folder that is in use, naming who uses it", async () => {
    const second = await command("start", "--port", "0", ...there);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(String(cli.ready.pid));
  });

  it("reset the world, and stop it", async () => {
    expect((await command("reset", ...there)).code).toBe(0);
    expect(await send<unknown[]>("GET", "/api/v1/bulk-exports")).toEqual([]);
    const { Contents } = await store.send(new ListObjectsV2Command({ Bucket: "traces" }));
    expect(Contents).toBeUndefined();
    const ended = once(cli.child, "exit");
    expect((await command("stop", ...there)).code).toBe(0);
    expect(await ended).toEqual([0, null]);
  });
});
