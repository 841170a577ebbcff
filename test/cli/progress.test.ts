import { mkdirSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openProgress } from "../../bin/progress.ts";
import { isFull } from "../support/depth.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { send } from "../support/send.ts";
import { CTRL_C, endTerminals, runOnTerminal } from "../support/terminal.ts";
import { openVerbs } from "../support/verbs.ts";

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
    expect((await inCi.ended).output).toMatch(/^emulator: no running emulator found after PT1\.5S; .*\r\n$/);
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
    [["contract", "selftest", "8.5"], "servers", {}, "", /./],
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
    // A contract run and a replay; all four in full depth.
    await Promise.all(LONG.filter((_, place) => isFull || place % 2 === 0).map(check));
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
    const { traces } = (await send(url, "GET", "/_emulator/v1/status")).body as { traces: { rows: number } };
    expect(traces.rows).toBeLessThan(1_000_000);
    expect(traces.rows % 500).toBe(0);
  });

  it("a partly written snapshot leaves no file", async () => {
    const server = createServer((_, reply) => {
      reply.writeHead(200, { "content-type": "application/gzip" });
      reply.write(Buffer.alloc(2_000_000));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const cwd = workingFolder();
      const words = ["snapshot", "export", "s", "s.snapshot", "--url", `http://127.0.0.1:${port}`];
      const command = runOnTerminal(words, { cwd });
      await command.shows(/writing s\.snapshot, 2\.0 MB, \d+ s/);
      command.type(CTRL_C);
      const { code, output } = await command.ended;
      expect({ code, output }).toMatchObject({
        code: STOPPED,
        output: expect.stringMatching(/stopped by SIGINT: .*; nothing was written or imported/),
      });
      expect(readdirSync(cwd)).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
