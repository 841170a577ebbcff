import { describe, expect, it } from "vitest";
import { start, workingFolder } from "../../support/emulator-process.ts";
import { addThread, countThreads, send } from "../../support/send.ts";
import { openVerbs } from "../../support/verbs.ts";

describe("history on the command line", () => {
  it("can be read, forked, compared and explained", async () => {
    const { url, run, json } = await openVerbs();
    const first = await addThread(url);
    const { turn } = await json<{ turn: number }>("status");
    const at = ["--at", String(turn)];
    const second = await addThread(url);

    expect(await json("status", ...at)).toMatchObject({ turn });
    const journal = await run("logs", ...at);
    expect(journal.stdout.trim().split("\n").at(-1)).toMatch(new RegExp(`^#${turn} .*POST /threads`));
    expect((await run("logs", "--at", "1", "--follow")).stderr).toContain("because history does not change");

    const fork = await run("world", "create", "what-if", "--from", "main", ...at);
    expect(fork).toMatchObject({ code: 0, stderr: "" });
    const { stdout: difference } = await run("world", "diff", "main", "what-if");
    expect(difference).toMatch(/^- main, turn \d+, 2026-03-01T00:00:00.000000Z\n\+ what-if, turn \d+/);
    expect(difference).toContain("agent_threads: 0 added, 1 removed, 0 changed\n  - ");
    expect(difference).toContain(second.thread_id);
    expect(difference).not.toContain(first.thread_id);
    expect(difference).toMatch(
      /they differ\ntheir journals part: at turn \d+ the first has request createThread/,
    );
    expect((await run("world", "diff", "what-if", "what-if")).stdout).toContain("they hold the same");

    const why = await run("why", second.thread_id);
    expect(why.stdout).toMatch(
      /^the turns that led to the current state of agent_threads\/.*, newest first:\n {2}#\d+ .*POST \/threads \(createThread\)\n$/,
    );
    const unknown = await run("why", "nothing", ...at);
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("nothing does not occur in the history of this world");
    const early = await run("world", "create", "--from", "main", "--at", "2020-01-01T00:00:00Z");
    expect(early.stderr).toContain("is before the history of this world, which starts at turn");
  });

  it.each(["SIGKILL", "SIGTERM"] as const)("survives %s and two starts in a data folder", async (signal) => {
    const cwd = workingFolder();
    const flags = ["--data", "kept", "--clock", "frozen", "--now", "2026-03-01T00:00:00Z"];
    const stands: { readonly turn: number; readonly threads: number }[] = [];
    for (const n of [1, 2, 3]) {
      const { ready, child, ended } = await start(flags, { cwd });
      await addThread(ready.url);
      const { turn } = (await send<{ turn: number }>(ready.url, "GET", "/_emulator/v1/status")).body;
      stands.push({ turn, threads: n });
      await addThread(ready.url);
      for (const stand of stands)
        expect(await countThreads(ready.url, `?as_of=${stand.turn}`), `start ${n}, turn ${stand.turn}`).toBe(
          stand.threads * 2 - 1,
        );
      child.kill(signal);
      await ended;
    }
  });
});
