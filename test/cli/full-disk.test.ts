import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { start, workingFolder } from "../support/emulator-process.ts";

const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));
const KEY = { "content-type": "application/json", "x-api-key": "emulator-key" };

/** A shell that lets no file grow over 256 blocks: the journal meets that as it would meet a full disk. */
async function startConfined(cwd: string) {
  const script = 'ulimit -f 256; exec "$0" "$@"';
  // Its signal, unheeded, would end the process before the write could fail.
  const heed = "data:text/javascript,process.on('SIGXFSZ',()=>{})";
  const env = { PATH: process.env.PATH, NODE_OPTIONS: `--import=${heed}` };
  const words = [process.execPath, CLI, "start", "--port", "0", "--json", "--rate-limits", "off"];
  const child = spawn("sh", ["-c", script, ...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const [line] = await once(child.stdout, "data");
  const ended = once(child, "close").then(([code]) => ({ code, stderr }));
  return { url: JSON.parse(String(line)).url as string, ended };
}

it("a full disk ends the process, and all answered requests are restored", async () => {
  const cwd = workingFolder();
  const { url, ended } = await startConfined(cwd);
  const answered: string[] = [];
  for (let status = 200; status === 200; ) {
    const name = `project ${answered.length}`;
    const body = JSON.stringify({ name, description: "long ".repeat(1000) });
    const reply = await fetch(`${url}/sessions`, { method: "POST", headers: KEY, body });
    status = reply.status;
    if (status === 200) answered.push(name);
  }
  const { code, stderr } = await ended;
  expect(code).toBe(5);
  expect(stderr).toMatch(
    /^emulator: the disk is full or fails \(EFBIG.*\); .* Free disk space, then start again\n$/,
  );
  expect(answered.length).toBeGreaterThan(10);
  const { ready } = await start([], { cwd });
  const reply = await fetch(`${ready.url}/sessions?limit=100`, { headers: KEY });
  const names = ((await reply.json()) as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(answered));
});
