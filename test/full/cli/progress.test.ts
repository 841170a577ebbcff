import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { openProgress } from "../../../bin/progress.ts";
import type { WorkProgress } from "../../../emulator/client/views.ts";
import { start, workingFolder } from "../../support/emulator-process.ts";
import { send } from "../../support/send.ts";
import { CTRL_C, endTerminals, runOnTerminal } from "../../support/terminal.ts";
import { openVerbs } from "../../support/verbs.ts";

afterEach(endTerminals);

const ERASED = "\r\u001b[2K";
const STOPPED = 130;

describe("on a terminal", () => {
  it("a waiting command shows progress, and Ctrl-C ends it with a summary; in CI it prints no progress", async () => {
    const wait = runOnTerminal(["wait", "--timeout", "1h"], { cwd: workingFolder() });
    const inCi = runOnTerminal(["wait", "--timeout", "PT1.5S"], {
      cwd: workingFolder(),
      env: { CI: "true" },
    });
    await wait.shows(/waiting for an emulator, \d+ s/);
    wait.type(CTRL_C);
    const { code, output } = await wait.ended;
    expect(code).toBe(STOPPED);
    const last = "emulator: stopped by SIGINT: an emulator was not ready yet\r\n";
    expect(output.endsWith(ERASED + last), output).toBe(true);
    expect((await inCi.ended).output).toMatch(
      /^emulator: no running emulator found after PT1\.5S in \/.*, which does not exist; .*\r\n$/,
    );
  });

  const SINCE = String.raw`\] \d+ %  \d+/\d+ %s  \d+ s.*  \S`;

  const LONG: readonly (readonly [
    words: string[],
    unit: string,
    variables: object,
    bar: string,
    report: RegExp,
  ])[] = [
    [["contract", "run"], "cases", {}, "", /PASS/],
    [
      ["replay", "--jobs", "1"],
      "scenarios",
      {},
      String.raw`\[\x1b\[32m#+\x1b\[0m\.*`,
      /NOT RUN \w.*scenarios: \d+ passed, \d+ not run/s,
    ],
    [
      ["replay", "--sweep", "crash", "--jobs", "1"],
      "runs",
      { NO_COLOR: "1" },
      String.raw`\[#+\.*`,
      /not run \(.*interrupted.*--sweep crash: \d+ trials?: \d+ held/s,
    ],
  ];

  it("long work shows its progress; Ctrl-C prints the report of the completed part, and a summary", async () => {
    // Side by side, since each waits for the seconds of its line.
    const check = async ([words, unit, variables, bar, report]: (typeof LONG)[number]) => {
      const cwd = workingFolder();
      const temporary = join(cwd, "tmp");
      mkdirSync(temporary);
      const command = runOnTerminal(words, { cwd, env: { TMPDIR: temporary, ...variables } });
      const text = await command.shows(new RegExp(bar + SINCE.replace("%s", unit)));
      if (bar !== "") expect(text).toMatch(/#.*\] \d+ %.*, \d+\.\d\/s, about \d+ (s|min|h) left/);
      command.type(CTRL_C);
      const { code, output } = await command.ended;
      const name = words.join(" ");
      expect(output, name).toMatch(
        new RegExp(`emulator: stopped( by SIGINT)?: \\d+ of \\d+ ${unit} were done`),
      );
      expect(output, name).toMatch(report);
      expect(code, name).toBe(STOPPED);
      expect(readdirSync(temporary), name).toEqual([]);
      expect(readdirSync(cwd), name).toEqual(["tmp"]);
    };
    await Promise.all(LONG.map(check));
  });
});

describe("a progress line", () => {
  const open = (isTTY: boolean, flags = {}) => {
    const written: string[] = [];
    const clock = { ms: 0 };
    const stream = { isTTY, columns: 120, write: (text: string) => written.push(text) > 0 };
    const env = { NO_COLOR: "1" };
    return {
      written,
      clock,
      progress: openProgress({ flags, env }, "rows", { stream, now: () => clock.ms }),
    };
  };

  it("has a bar, the rate and the remaining time after a second, and is erased in the end", () => {
    const { written, clock, progress } = open(true);
    progress.show("first", 0, 1000);
    expect(written).toEqual([]);
    clock.ms = 2000;
    progress.show("later", 250, 1000);
    expect(written).toEqual([
      `${ERASED}[######..................] 25 %  250/1000 rows  2 s, 125.0/s, about 6 s left  later`,
    ]);
    progress.clear();
    expect(written.slice(1)).toEqual([ERASED]);
    expect(progress.account()).toBe("250 of 1000 rows were done");
  });

  it.each([
    ["in a pipe", false, {}],
    ["with --quiet", true, { quiet: true }],
  ])("is not written %s", (_, isTTY, flags) => {
    const { written, clock, progress } = open(isTTY, flags);
    clock.ms = 5000;
    progress.show("text", 1, 2);
    progress.clear();
    expect(written).toEqual([]);
  });
});

describe("on a running emulator", () => {
  it("an advance shows how far it is, and Ctrl-C ends it there", async () => {
    const { url, cwd, env } = await openVerbs();
    const cron = { assistant_id: "echo", schedule: "* * * * *" };
    expect((await send(url, "POST", "/runs/crons", cron)).status).toBe(200);
    const advance = runOnTerminal(["clock", "advance", "9000d"], { cwd, env });
    await advance.shows(/\[\.+\] 0 % {2}\d+ s.*\d{4}-\d\d-\d\dT\S+, \d+ events/);
    advance.type(CTRL_C);
    const { code, output } = await advance.ended;
    expect({ code, output }).toMatchObject({
      code: STOPPED,
      output: expect.stringMatching(
        /stopped by SIGINT: \d+ events have fired and the advance was stopped.*; virtual time is \d{4}-/,
      ),
    });
    expect((await send(url, "GET", "/_emulator/v1/progress")).body).toMatchObject({
      advance: null,
      verifications: [],
    });
  });

  it("traces generate shows rows, rate and remaining time; Ctrl-C ends it after whole turns", async () => {
    const { url, cwd, env } = await openVerbs();
    const words = ["traces", "generate", "--count", "1000000", "--seed", "5"];
    const generate = runOnTerminal(words, { cwd, env });
    await generate.shows(/\d+\/1000000 rows {2}\d+ s, \d+\.\d\/s, about \d+ (s|min|h) left/);
    generate.type(CTRL_C);
    const { code, output } = await generate.ended;
    expect({ code, output }).toMatchObject({
      code: STOPPED,
      output: expect.stringMatching(
        /stopped by SIGINT: \d+ of 1000000 rows were done, and the emulator stops there/,
      ),
    });
    await expect
      .poll(async () => (await send(url, "GET", "/_emulator/v1/progress")).body)
      .toMatchObject({ generations: [] });
    const { traces } = (await send(url, "GET", "/_emulator/v1/status")).body as {
      traces: { rows: number };
    };
    expect(traces.rows).toBeLessThan(1_000_000);
    expect(traces.rows % 500).toBe(0);
  });

  it("a comparison shows rows, and is refused when its client leaves", async () => {
    const flags = ["--ephemeral", "--log", "all", "--log-format", "json"];
    const { ready, child, ended } = await start(flags, { cwd: workingFolder() });
    const { url } = ready;
    expect((await send(url, "POST", "/_emulator/v1/worlds", { id: "other" })).status).toBe(200);
    for (const path of ["", "/w/other"]) {
      const order = { count: 10_000, seed: 5, project: "p" };
      expect((await send(url + path, "POST", "/_emulator/v1/traces/generate", order)).status).toBe(200);
    }
    const compared = async () =>
      (await send<WorkProgress>(url, "GET", "/_emulator/v1/progress")).body.comparisons;
    const leave = new AbortController();
    const path = "/_emulator/v1/worlds/main/diff?with=other";
    const reply = fetch(url + path, { signal: leave.signal }).catch((error: Error) => error.name);
    await expect.poll(async () => (await compared())[0]?.rows ?? 0, { interval: 1 }).toBeGreaterThan(0);
    leave.abort();
    expect(await reply).toBe("AbortError");
    await expect.poll(compared).toEqual([]);
    child.kill("SIGTERM");
    const lines = (await ended).stdout.trimEnd().split("\n").slice(1);
    expect(lines.map((line) => JSON.parse(line)).filter((line) => line.path === path)).toMatchObject([
      { status: 409, reason: expect.stringContaining("interrupted") },
    ]);
  });
});

describe("a command whose emulator takes long", () => {
  /** An emulator that replies to requests for which `answer` returns a value. */
  async function slowEmulator(answer: (url: string, at: number) => unknown) {
    const left: string[] = [];
    const urls: string[] = [];
    const server = createServer((request, reply) => {
      const { url = "" } = request;
      const value = answer(url, urls.filter((each) => each === url).length);
      urls.push(url);
      reply.once("close", () => void (reply.writableFinished || left.push(url)));
      if (value instanceof Buffer) reply.writeHead(200, { "content-type": "application/gzip" }).write(value);
      else request.once("end", () => void (value === undefined || reply.end(JSON.stringify(value))));
      request.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { left, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  const PROGRESS = {
    comparisons: [{ a: "main", b: "w", rows: 250, rows_total: 1000 }],
    verifications: [{ export_id: "e", files: 1, files_total: 4, rows: 10 }],
  };
  const SAVED = Buffer.alloc(2_000_000);
  const ROWS = Array.from({ length: 2000 }, (_, n) => `{"id":${n}}\n`).join("");

  const SLOW: readonly (readonly [words: string, shown: RegExp, account: RegExp, left: string])[] = [
    [
      "world diff main w",
      /\[#{6}\.{18}\] 25 % {2}250\/1000 rows .*comparing main with w/,
      /250 of 1000 rows were done, and the emulator stops there/,
      "/worlds/main/diff?with=w",
    ],
    [
      "verify-export e",
      /25 % {2}1\/4 files .*reading/,
      /1 of 4 files were done, and the emulator stops there/,
      "/exports/e/verify",
    ],
    [
      "traces send rows.ndjson",
      /50 % {2}1000\/2000 rows /,
      /1000 of 2000 rows were done, which may still be done/,
      "/runs/batch",
    ],
    [
      "snapshot import saved s",
      /\d+ % {2}\d+\/64 MB .*sending/,
      /the connection failed or was interrupted .*; nothing was written or imported/,
      "/snapshots/file?name=s",
    ],
    [
      "snapshot export s s.snapshot",
      /writing s\.snapshot, 2\.0 MB, \d+ s/,
      /the connection failed or was interrupted .*; nothing was written or imported/,
      "/snapshots/s/file",
    ],
  ];

  it.each(SLOW)(
    "%s: shows its progress; Ctrl-C ends it and its request",
    async (words, shown, account, left) => {
      const cwd = workingFolder();
      writeFileSync(join(cwd, "rows.ndjson"), ROWS);
      writeFileSync(join(cwd, "saved"), Buffer.alloc(words.includes("saved") ? 64_000_000 : 0));
      const emulator = await slowEmulator((url, at) => {
        if (url.endsWith("/progress")) return PROGRESS;
        if (url.endsWith("/snapshots/s/file")) return SAVED;
        return url === "/runs/batch" && at < 2 ? {} : undefined;
      });
      const command = runOnTerminal([...words.split(" "), "--url", emulator.url], {
        cwd,
        env: { NO_COLOR: "1" },
      });
      await command.shows(shown);
      command.type(CTRL_C);
      const { code, output } = await command.ended;
      expect(code).toBe(STOPPED);
      expect(output).toMatch(new RegExp(`stopped by SIGINT: .*${account.source}`));
      await expect.poll(() => emulator.left.some((url) => url.endsWith(left))).toBe(true);
      expect(readdirSync(cwd)).toEqual(["rows.ndjson", "saved"]);
    },
  );
});
