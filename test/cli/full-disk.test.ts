import { expect, it } from "vitest";
import { start, workingFolder } from "../support/emulator-process.ts";
import { send } from "../support/send.ts";

// Its signal, unheeded, would end the process before the write could fail.
const HEED = "data:text/javascript,process.on('SIGXFSZ',()=>{})";

it("a full disk ends the process, and all answered requests are restored", async () => {
  const cwd = workingFolder();
  // No file may grow over 256 blocks: the journal meets that as it would meet a full disk.
  const confined = { cwd, limit: "ulimit -f 256", env: { NODE_OPTIONS: `--import=${HEED}` } };
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
  expect(error.hint).toMatch(/Free disk space, then start again$/);
  expect(answers.length).toBeGreaterThan(10);
  const { ready } = await start([], { cwd });
  const { body: projects } = await send<{ name: string }[]>(ready.url, "GET", "/sessions?limit=100");
  expect(projects.map(({ name }) => name)).toEqual(expect.arrayContaining(answers));
});
