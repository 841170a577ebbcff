import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, describe, expect, it } from "vitest";
import { type RunningCli, startCli } from "../support/cli.ts";
import { BEGIN, DESTINATION, HEADERS } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";

const ROUNDS = 12;
const SESSION = "99999999-0000-4000-8000-000000000001";
const folder = mkdtempSync(join(tmpdir(), "kill-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rowId = (round: number, number: number) =>
  `${round.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;

const storeOf = ({ ready }: RunningCli) => objectStore(ready.s3_url);

async function send({ ready }: RunningCli, method: string, path: string, body?: unknown) {
  const reply = await fetch(ready.url + path, {
    method,
    headers: HEADERS,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as never };
}

/** What the emulator has said yes to. */
interface Acknowledged {
  readonly rows: Map<string, string>;
  readonly projects: Set<string>;
  readonly objects: Map<string, string>;
}

/** Writes of every kind until the process is gone; each counts only once it was answered. */
async function load(cli: RunningCli, round: number, kept: Acknowledged, answered: () => void): Promise<void> {
  const store = storeOf(cli);
  const untilGone = async (write: (number: number) => Promise<void>) => {
    try {
      for (let number = 0; ; number += 1) {
        await write(number);
        answered();
      }
    } catch {
      // Killed: what was under way counts for nothing.
    }
  };
  const row = (number: number, name: string) => ({
    id: rowId(round, number),
    name,
    run_type: "chain",
    session_id: SESSION,
    start_time: "2026-02-10T00:00:00Z",
  });
  await Promise.all([
    untilGone(async (number) => {
      const post = [0, 1, 2].map((nth) => row(number * 3 + nth, `first ${number}`));
      if ((await send(cli, "POST", "/runs/batch", { post })).status !== 202) throw new Error("refused");
      for (const { id, name } of post) kept.rows.set(id, name);
    }),
    untilGone(async (number) => {
      const id = rowId(round, number);
      // A row that is not known to be there is asked for only, so that the other writers get their turn.
      if (!kept.rows.has(id)) return void (await send(cli, "GET", "/ok"));
      const { status } = await send(cli, "PATCH", `/runs/${id}`, { name: `changed ${number}` });
      if (status === 202) kept.rows.set(id, `changed ${number}`);
    }),
    untilGone(async (number) => {
      const name = `project ${round}/${number}`;
      if ((await send(cli, "POST", "/sessions", { name })).status === 200) kept.projects.add(name);
    }),
    untilGone(async (number) => {
      const key = `round=${round}/object-${number}.txt`;
      await store.send(new PutObjectCommand({ Bucket: "traces", Key: key, Body: `body ${number}` }));
      kept.objects.set(key, `body ${number}`);
    }),
  ]);
  store.destroy();
}

async function findLost(cli: RunningCli, kept: Acknowledged): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, name] of kept.rows) {
    const { status, body } = await send(cli, "GET", `/runs/${id}`);
    // A change that was never answered may have been kept all the same.
    const found = (body as { name?: string }).name ?? "";
    if (status !== 200 || (name.startsWith("changed") ? found !== name : !/^(first|changed)/.test(found)))
      lost.push(`row ${id}: ${found}`);
  }
  for (const name of kept.projects) {
    const { body } = await send(cli, "GET", `/sessions?name=${encodeURIComponent(name)}`);
    if ((body as unknown[]).length !== 1) lost.push(name);
  }
  const store = storeOf(cli);
  for (const [key, body] of kept.objects) {
    const found = await store.send(new GetObjectCommand({ Bucket: "traces", Key: key }));
    if ((await found.Body?.transformToString()) !== body) lost.push(key);
  }
  store.destroy();
  return lost;
}

/** Ends the process after it has written rows, before the journal line that would make them count. */
const KILLER = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const write = fs.writeSync;
  fs.writeSync = (file, bytes, ...rest) => {
    if (Buffer.isBuffer(bytes) && bytes.includes('"rows":') && bytes.includes('"pieces":'))
      process.kill(process.pid, "SIGKILL");
    return write(file, bytes, ...rest);
  };
  syncBuiltinESMExports();
`;

describe("a killed process", () => {
  it("has lost no acknowledged write, however often it is killed", async () => {
    const kept: Acknowledged = { rows: new Map(), projects: new Set(), objects: new Map() };
    for (let round = 1; round <= ROUNDS; round += 1) {
      const cli = await startCli("--data", folder);
      let left = 15 + round * 7;
      let enough = () => {};
      const loaded = new Promise<void>((resolve) => {
        enough = resolve;
      });
      const over = load(cli, round, kept, () => {
        left -= 1;
        if (left === 0) enough();
      });
      await loaded;
      expect(await cli.end("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
      await over;
    }
    expect(kept.rows.size).toBeGreaterThan(100);
    expect(kept.projects.size).toBeGreaterThan(50);
    expect(kept.objects.size).toBeGreaterThan(50);
    const cli = await startCli("--data", folder);
    expect(await findLost(cli, kept)).toEqual([]);
    expect(await cli.end("SIGTERM")).toEqual({ code: 0, signal: null });
    const again = await startCli("--data", folder);
    expect(await findLost(again, kept)).toEqual([]);
    await again.end("SIGTERM");
  });

  it("leaves nothing of an ingest for a new project to the project that gets its id next", async () => {
    const own = join(folder, "unacknowledged");
    const killer = join(folder, "killer.mjs");
    writeFileSync(killer, KILLER);
    const ingest = (cli: RunningCli, session_name: string, round: number) => {
      const post = ["2026-02-10", "2026-02-11"].map((day, number) => {
        const id = rowId(round, number);
        return { id, name: session_name, run_type: "chain", session_name, start_time: `${day}T00:00:00Z` };
      });
      return send(cli, "POST", "/runs/batch", { post });
    };
    process.env.NODE_OPTIONS = `--import ${pathToFileURL(killer)}`;
    const cli = await startCli("--data", own).finally(() => delete process.env.NODE_OPTIONS);
    const over = new Promise((resolve) => cli.child.once("exit", (_, signal) => resolve(signal)));
    await expect(ingest(cli, "lost", 1)).rejects.toThrow();
    expect(await over).toBe("SIGKILL");
    const tails = readdirSync(own, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ndjson"),
    );
    const lost = tails.flatMap((path) => /([0-9a-f-]{36})\/2026-02-1[01]\.ndjson$/.exec(path)?.[1] ?? []);
    expect(lost).toHaveLength(2);

    const again = await startCli("--data", own);
    expect((await send(again, "GET", "/sessions?name=lost")).body).toEqual([]);
    expect((await ingest(again, "kept", 2)).status).toBe(202);
    const { body } = await send(again, "GET", "/sessions?name=kept");
    const session = (body as { id: string }[])[0]?.id;
    expect(new Set(lost)).toEqual(new Set([session]));
    const { body: found } = await send(again, "POST", "/runs/query", { session: [session] });
    const names = (found as { runs: { name: string }[] }).runs.map(({ name }) => name);
    expect(names).toEqual(["kept", "kept"]);
    expect((await send(again, "GET", `/runs/${rowId(1, 0)}`)).status).toBe(404);
    await again.end("SIGTERM");
  });

  it("resumes an export from its checkpoint, no row missing or twice (§7.3-1)", async () => {
    const own = join(folder, "export");
    const settings = ["--data", own, "--clock", "frozen", "--now", BEGIN];
    process.env.EMULATOR_LIMITS__ROWS_PER_FILE = "50";
    try {
      let cli = await startCli(...settings);
      const window = { from: "2026-02-10T00:00:00Z", to: "2026-02-12T00:00:00Z" };
      const made = await send(cli, "POST", "/_emulator/v1/traces/generate", {
        count: 500,
        project: "p",
        ...window,
      });
      const destination = await send(cli, "POST", "/api/v1/bulk-exports/destinations", DESTINATION);
      const { id } = (
        await send(cli, "POST", "/api/v1/bulk-exports", {
          bulk_export_destination_id: (destination.body as { id: string }).id,
          session_id: (made.body as { session_id: string }).session_id,
          start_time: window.from,
          end_time: window.to,
        })
      ).body as { id: string };
      // A file a second: killed after three, with the fourth under way or about to be.
      await send(cli, "POST", "/_emulator/v1/clock/advance", { by: "PT3.5S" });
      const flight = send(cli, "POST", "/_emulator/v1/clock/advance", { by: "PT1S" }).catch(() => undefined);
      await cli.end("SIGKILL");
      await flight;

      cli = await startCli(...settings.slice(0, 4));
      const moved = await send(cli, "POST", "/_emulator/v1/clock/advance", {
        until: { export: id, status: "COMPLETED" },
      });
      expect(moved.body).toMatchObject({ reached: true });
      const verified = await send(cli, "GET", `/_emulator/v1/exports/${id}/verify`);
      expect(verified.body).toMatchObject({ ok: true, rows: 500, problems: [] });
      await cli.end("SIGTERM");
    } finally {
      delete process.env.EMULATOR_LIMITS__ROWS_PER_FILE;
    }
  });
});
