import { expect, it } from "vitest";
import { runAlone, start, workingFolder } from "../../support/emulator-process.ts";
import { send } from "../../support/send.ts";

it("a full disk ends the process, and all answered requests are restored", async () => {
  const cwd = workingFolder();
  // No file may grow over 256 blocks: the journal meets that as it would meet a full disk.
  const confined = { cwd, limit: "ulimit -f 256" };
  const { ready: first, ended } = await start(["--rate-limits", "off"], confined);
  const answers: string[] = [];
  for (let status = 200; status === 200; ) {
    const name = `project ${answers.length}`;
    const body = { name, description: "long ".repeat(1000) };
    status = (await send(first.url, "POST", "/sessions", body)).status;
    if (status === 200) answers.push(name);
  }
  const { code, stdout } = await ended;
  expect(code).toBe(5);
  const { error } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(error.message).toMatch(/^the disk is full or fails \(EFBIG.*\)/);
  expect(error.hint).toBe("Raise the limit of files (`ulimit -f`), then start again");
  expect(answers.length).toBeGreaterThan(10);
  const { ready } = await start([], { cwd });
  const { body: projects } = await send<{ name: string }[]>(ready.url, "GET", "/sessions?limit=100");
  expect(projects.map(({ name }) => name)).toEqual(expect.arrayContaining(answers));
});

it.each([
  [
    "no file can be written",
    "ulimit -f 0",
    ["start", "--port", "0"],
    2,
    /\.emulator: the file would be larger/,
  ],
  [
    "standard output is such a file",
    "exec >output; ulimit -f 0",
    ["--help"],
    5,
    /standard output cannot be written: the file/,
  ],
])("where %s, a command ends with one line", async (_title, limit, words, code, message) => {
  const outcome = await runAlone(words, { cwd: workingFolder(), limit });
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).toMatch(/^emulator: .*raise the limit \(`ulimit -f`\)\n$/);
  expect(outcome.stderr).toMatch(message);
});
