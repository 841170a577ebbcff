import { describe, expect, it } from "vitest";
import { run, start, workingFolder } from "../support/emulator-process.ts";

async function addThread(url: string, n: number): Promise<{ thread_id: string }> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ metadata: { n } });
  return (await (await fetch(`${url}/threads`, { method: "POST", headers, body })).json()) as {
    thread_id: string;
  };
}

describe("history on the command line", () => {
  it("can be read, forked, compared and explained", async () => {
    const cwd = workingFolder();
    const { ready, child, ended } = await start(["--clock", "frozen", "--now", "2026-03-01T00:00:00Z"], {
      cwd,
    });
    const first = await addThread(ready.url, 1);
    const { turn } = JSON.parse((await run(["status", "--json"], { cwd })).stdout) as { turn: number };
    const second = await addThread(ready.url, 2);

    const then = await run(["status", "--json", "--at", String(turn)], { cwd });
    expect(JSON.parse(then.stdout)).toMatchObject({ turn });
    const journal = await run(["logs", "--at", String(turn)], { cwd });
    expect(journal.stdout.trim().split("\n").at(-1)).toMatch(new RegExp(`^#${turn} .*POST /threads`));
    expect((await run(["logs", "--at", "1", "--follow"], { cwd })).stderr).toContain(
      "because history does not change",
    );

    const made = await run(["world", "create", "what-if", "--from", "main", "--at", String(turn)], { cwd });
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const { stdout: difference } = await run(["world", "diff", "main", "what-if"], { cwd });
    expect(difference).toMatch(/^- main, turn \d+, 2026-03-01T00:00:00.000000Z\n\+ what-if, turn \d+/);
    expect(difference).toContain("agent_threads: 0 added, 1 removed, 0 changed\n  - ");
    expect(difference).toContain(second.thread_id);
    expect(difference).not.toContain(first.thread_id);
    expect(difference).toMatch(
      /they differ\ntheir journals part: at turn \d+ the first has request createThread/,
    );
    expect((await run(["world", "diff", "what-if", "what-if"], { cwd })).stdout).toContain(
      "they hold the same",
    );

    const why = await run(["why", second.thread_id], { cwd });
    expect(why.stdout).toMatch(
      /^the turns that led to the current state of agent_threads\/.*, newest first:\n {2}#\d+ .*POST \/threads \(createThread\)\n$/,
    );
    const unknown = await run(["why", "nothing", "--at", String(turn)], { cwd });
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("nothing does not occur in the history of this world");
    const early = await run(["world", "create", "--from", "main", "--at", "2020-01-01T00:00:00Z"], { cwd });
    expect(early.stderr).toContain("is before the history of this world, which starts at turn");
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });

  it.each(["SIGKILL", "SIGTERM"] as const)("survives %s and two starts in a data folder", async (signal) => {
    const cwd = workingFolder();
    const flags = ["--data", "kept", "--clock", "frozen", "--now", "2026-03-01T00:00:00Z"];
    const stands: { readonly turn: number; readonly threads: number }[] = [];
    for (const n of [1, 2, 3]) {
      const { ready, child, ended } = await start(flags, { cwd });
      await addThread(ready.url, n);
      const { turn } = (await (await fetch(`${ready.url}/_emulator/v1/status`)).json()) as { turn: number };
      stands.push({ turn, threads: n });
      await addThread(ready.url, n);
      for (const stand of stands) {
        const reply = await fetch(`${ready.url}/threads/count?as_of=${stand.turn}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: "{}",
        });
        expect(await reply.json(), `start ${n}, turn ${stand.turn}`).toBe(stand.threads * 2 - 1);
      }
      child.kill(signal);
      await ended;
    }
  });
});
