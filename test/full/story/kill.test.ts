import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type RunningCli, startCli } from "../../support/cli.ts";
import { BEGIN, DESTINATION } from "../../support/emulator.ts";
import { findLost, noAcknowledgements, rowId, send, writeUntilKilled } from "../../support/kill-load.ts";

const ROUNDS = 8;
const folder = mkdtempSync(join(tmpdir(), "kill-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Ends the process after it has written rows, before the journal line that would make them count. */
const KILLER = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const write = fs.writeSync;
  fs.writeSync = (file, bytes, ...rest) => {
    if (Buffer.isBuffer(bytes) && bytes.includes('"rows":') && bytes.includes('"segments":'))
      process.kill(process.pid, "SIGKILL");
    return write(file, bytes, ...rest);
  };
  syncBuiltinESMExports();
`;

describe("a killed process", () => {
  it("has lost no acknowledged write, however often it is killed", async () => {
    const acknowledgements = noAcknowledgements();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const cli = await startCli("--data", folder);
      let left = 15 + round * 7;
      let enough = () => {};
      const loading = new Promise<void>((resolve) => {
        enough = resolve;
      });
      const over = writeUntilKilled(cli, round, acknowledgements, () => {
        left -= 1;
        if (left === 0) enough();
      });
      await loading;
      expect(await cli.end("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
      await over;
    }
    expect(acknowledgements.rows.size).toBeGreaterThan(60);
    expect(acknowledgements.projects.size).toBeGreaterThan(30);
    expect(acknowledgements.objects.size).toBeGreaterThan(30);
    const cli = await startCli("--data", folder);
    expect(await findLost(cli, acknowledgements)).toEqual([]);
    expect(await cli.end("SIGTERM")).toEqual({ code: 0, signal: null });
    const again = await startCli("--data", folder);
    expect(await findLost(again, acknowledgements)).toEqual([]);
    await again.end("SIGTERM");
  });

  it("removes a partial ingest, also when another project reuses its id", async () => {
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
    const losses = tails.flatMap((path) => /([0-9a-f-]{36})\/2026-02-1[01]\.ndjson$/.exec(path)?.[1] ?? []);
    expect(losses).toHaveLength(2);

    const again = await startCli("--data", own);
    expect((await send(again, "GET", "/sessions?name=lost")).body).toEqual([]);
    expect((await ingest(again, "kept", 2)).status).toBe(202);
    const { body } = await send(again, "GET", "/sessions?name=kept");
    const session = (body as { id: string }[])[0]?.id;
    expect(new Set(losses)).toEqual(new Set([session]));
    const { body: match } = await send(again, "POST", "/runs/query", { session: [session] });
    const names = (match as { runs: { name: string }[] }).runs.map(({ name }) => name);
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
      const reply = await send(cli, "POST", "/_emulator/v1/traces/generate", {
        count: 500,
        project: "p",
        ...window,
      });
      const destination = await send(cli, "POST", "/api/v1/bulk-exports/destinations", DESTINATION);
      const { id } = (
        await send(cli, "POST", "/api/v1/bulk-exports", {
          bulk_export_destination_id: (destination.body as { id: string }).id,
          session_id: (reply.body as { session_id: string }).session_id,
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
