import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { launch } from "../../support/emulator-process.ts";
import { addThread, send } from "../../support/send.ts";
import { expectRefusals, openVerbs, type Verbs } from "../../support/verbs.ts";

/** Runs an agent whose end is delivered to an inbox of the emulator. */
async function deliverOnce({ url, lines }: Verbs): Promise<void> {
  const body = { assistant_id: "echo", input: {}, webhook: `${url}/_emulator/inbox/one` };
  expect((await send(url, "POST", "/runs/wait", body)).status).toBe(200);
  await lines("clock", "advance", "1m");
}

/** The first line that a command prints that does not end by itself. */
async function firstLine(verbs: Verbs, ...words: string[]): Promise<string> {
  const { child } = launch(words, verbs);
  const [piece] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  return piece.toString().split("\n")[0] ?? "";
}

describe("emulator limits", () => {
  it("explains, trips and resets", async () => {
    const verbs = await openVerbs();
    expect(await verbs.lines("limits", "explain", "post", "/runs/query")).toEqual([
      "POST /runs/query (us) passes",
      expect.stringMatching(/^decides +runs_query/),
      expect.stringMatching(/^ +default_key/),
      expect.stringMatching(/^ +catch_all/),
    ]);
    expect(await verbs.json("limits", "trip", "runs_query_key", "--region", "us")).toMatchObject({
      row: "runs_query_key",
      us: { tripped_until: expect.any(String) },
    });
    const [explained] = await verbs.lines("limits", "explain", "POST", "/runs/query");
    expect(explained).toBe("POST /runs/query (us) is refused with 429");
    await verbs.lines("limits", "reset", "runs_stats");
    expect(await verbs.json("limits", "explain", "POST", "/runs/query")).toMatchObject({ passes: false });
    await verbs.lines("limits", "reset", "runs_query_key", "--region", "us");
    expect(await verbs.json("limits", "explain", "POST", "/runs/query")).toMatchObject({ passes: true });
    expect((await verbs.lines("limits"))[0]).toBe("rate limits are on");
    expect(await verbs.lines("limits", "reset")).toEqual(["counters, trips and changes are dropped"]);
    await expectRefusals(verbs, [
      ["limits explain POST", "limits explain: <path> is missing"],
      ["limits explain POST runs", "<path>: "],
      ["limits explain POST /runs --region mars", '--region: "mars" is not valid; give us or eu'],
      ["limits trip runs_qury_key", "Did you mean runs_query_key?"],
      ["limits trip runs_query_key --remaining -1", "--remaining"],
      ["limits reset --region us", "give row with region"],
      ["limits reset runs_qury_key", "row"],
      ["limits trip runs_query_key --remaining 1000000", "--remaining: must be at most "],
    ]);
  });
});

describe("emulator webhooks and logs", () => {
  it("list, follow and repeat deliveries; check a URL", async () => {
    const verbs = await openVerbs();
    await deliverOnce(verbs);
    const [delivery] = await verbs.json<{ id: string; status: string }[]>("webhooks");
    const id = delivery?.id ?? "";
    expect(delivery).toMatchObject({ status: "delivered" });
    expect(await firstLine(verbs, "webhooks", "tail")).toContain(`${id}  delivered`);
    expect(await verbs.json("webhooks", "redeliver", id)).toMatchObject({ redelivery_of: id });
    expect((await verbs.lines("webhooks", "check", "https://example.com/hook"))[0]).toMatch(
      /^https:\/\/example\.com\/hook: allowed; (?!allowed)/i,
    );
    expect(await verbs.run("webhooks", "check", "no url")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("refused"),
    });
    await expectRefusals(verbs, [
      ["webhooks redeliver 00000000-0000-4000-8000-00000000dead", "`emulator webhooks list` lists them"],
    ]);
  });

  it("print the turns with their causes, and future events", async () => {
    const verbs = await openVerbs();
    await verbs.lines("fault", "arm", "worker_crash");
    const [line = ""] = await verbs.lines("logs", "--limit", "1");
    expect(line).toMatch(/^#\d+ 2026-03-01T00:00:00.000000Z control faults.arm$/);
    const turn = (await verbs.journal()).at(-1)?.turn;
    const next = firstLine(verbs, "logs", "--follow", "--since", String(turn));
    await send(verbs.url, "POST", "/threads", { foo: 1 });
    expect(await next).toContain("POST /threads (createThread); unread: body.foo");
    expect(await verbs.run("logs", "--since", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--since"),
    });
  });
});

describe("what follows a world", () => {
  const RESET = "emulator: the world was reset or loaded; its new journal:";

  /** Runs a command that follows the world `side`, connected. */
  async function following(verbs: Verbs, ...words: string[]) {
    const { child, ended } = launch([...words, "--world", "side"], verbs);
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
    });
    const status = async () =>
      (await (await fetch(`${verbs.url}/w/side/_emulator/v1/status`)).json()) as {
        journal_followers: number;
      };
    while ((await status()).journal_followers === 0) expect(child.exitCode).toBe(null);
    return {
      ended,
      async printed(what: string, times: number) {
        while (text.split(what).length - 1 < times) await once(child.stdout, "data");
      },
    };
  }

  it("logs --follow continues after a reset and a load, and ends with the world", async () => {
    const verbs = await openVerbs();
    await verbs.lines("world", "create", "side");
    const { printed, ended } = await following(verbs, "logs", "--follow");
    const act = () => addThread(`${verbs.url}/w/side`);
    await act();
    await printed("createThread", 1);
    await verbs.lines("snapshot", "save", "one", "--world", "side");
    await verbs.lines("reset", "--world", "side");
    await act();
    await printed("createThread", 2);
    await verbs.lines("snapshot", "load", "one", "--world", "side");
    await act();
    await printed("createThread", 3);
    await verbs.lines("world", "rm", "side");
    const { code, stderr } = await ended;
    const end = "emulator: this journal has ended: its world was removed";
    expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({ code: 0, lines: [RESET, RESET, end] });
  });

  it("webhooks tail continues after a reset, also with a delivery of the same id, and ends with the emulator", async () => {
    const verbs = await openVerbs();
    await verbs.lines("world", "create", "side");
    const { printed, ended } = await following(verbs, "webhooks", "tail");
    const side: Verbs = {
      ...verbs,
      url: `${verbs.url}/w/side`,
      lines: (...words) => verbs.lines(...words, "--world", "side"),
    };
    await deliverOnce(side);
    await printed("  delivered", 1);
    await verbs.lines("reset", "--world", "side");
    await deliverOnce(side);
    await printed("  delivered", 2);
    await verbs.emulator.close();
    const { code, stdout, stderr } = await ended;
    const ids = stdout.match(/[0-9a-f-]{36}(?= {2}delivered)/g);
    expect(ids?.[0]).toBe(ids?.[1]);
    const end = "emulator: this journal has ended: the emulator has stopped";
    expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({ code: 0, lines: [RESET, end] });
  });
});

it("emulator open prints the address of the console, of any world", async () => {
  const verbs = await openVerbs();
  const [address = ""] = await verbs.lines("open");
  expect(address).toBe(`${verbs.url}/_emulator/console/`);
  expect((await fetch(address)).status).toBe(200);
  await verbs.lines("world", "create", "side");
  expect(await verbs.lines("open", "--world", "side")).toEqual([`${verbs.url}/w/side/_emulator/console/`]);
});

describe("emulator s3", () => {
  it("lists, prints and reads objects, regardless of keys and faults", async () => {
    const verbs = await openVerbs();
    const window = ["--project", "shop", "--from", "2026-02-25", "--to", "2026-02-26"];
    await verbs.lines("traces", "generate", "--count", "30", ...window);
    await verbs.lines("export", "create", ...window, "--wait");
    await verbs.lines("fault", "arm", "s3", "--match", "op=GetObject", "--then", "s3_error=SlowDown");
    await send(verbs.url, "PATCH", "/_emulator/v1/s3/credentials/emulator", { deny: ["get", "list"] });
    expect(await verbs.lines("s3", "ls")).toEqual([expect.stringMatching(/^traces {2}1 object /)]);
    const [entry] = await verbs.json<{ name: string; size: string }[]>("s3", "ls", "traces/exports");
    const name = entry?.name ?? "";
    expect(name).toMatch(/^traces\/exports\/.*\.parquet$/);
    const { stdout } = await verbs.run("s3", "cat", name);
    expect(stdout.slice(0, 4) + stdout.slice(-4)).toBe("PAR1PAR1");
    const table = await verbs.lines("s3", "rows", `s3://${name}`, "--limit", "2", "--columns", "id,run_type");
    expect(table[0]).toMatch(/^id +run_type$/);
    expect(table.at(-1)).toBe("2 of 30 rows");
    expect(await verbs.json("s3", "rows", name)).toMatchObject({
      row_count: 30,
      rows: expect.toSatisfy((rows: object[]) => rows.length === 30 && "inputs" in (rows[0] ?? {})),
    });
    expect(await verbs.json("fault", "list")).toMatchObject([{ hits: 0 }]);
    await expectRefusals(verbs, [
      ["s3 cat traces", '"traces" is not the name of an object; give <bucket>/<key>'],
      [`s3 rows ${name} --columns id,nme`, "--columns: no column nme; did you mean name?"],
    ]);
  });
});
