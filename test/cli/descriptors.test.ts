import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { workingFolder } from "../support/emulator-process.ts";

const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));
const KEY = { "content-type": "application/json", "x-api-key": "emulator-key" };
const CROWD = 100;

/** An emulator that may open so many files and connections. */
function startWith(descriptors: number, cwd: string) {
  const words = [
    process.execPath,
    CLI,
    "start",
    "--port",
    "0",
    "--json",
    "--rate-limits",
    "off",
    "--data",
    "data",
  ];
  const child = spawn("sh", ["-c", `ulimit -n ${descriptors}; exec "$0" "$@"`, ...words], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return { child, ended: once(child, "close").then(([code]) => ({ code, stderr })) };
}

it("with too few descriptors is not started, and says how many it needs", async () => {
  const { ended } = startWith(64, workingFolder());
  const says =
    "emulator: This process may open 64 files and connections, and needs 128 at least. Raise the limit";
  expect(await ended).toEqual({ code: 2, stderr: expect.stringContaining(says) });
});

it("with few descriptors turns away whom it cannot serve, and loses nothing of the others", async () => {
  const { child, ended } = startWith(128, workingFolder());
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(String(line)) as { url: string };
  const { port } = new URL(url);
  const ask = (path: string, body: unknown) =>
    fetch(url + path, { method: "POST", headers: KEY, body: JSON.stringify(body) });
  for (let n = 0; n < 60; n += 1) {
    const post = [
      { name: "r", run_type: "chain", session_name: `p${n}`, start_time: "2026-02-10T00:00:00Z" },
    ];
    const runs = post.map((run) => ({
      ...run,
      id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    }));
    expect((await ask("/runs/batch", { post: runs })).status).toBe(202);
  }
  const sockets: Socket[] = [];
  const said: string[] = [];
  for (let n = 0; n < CROWD; n += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => undefined).on("data", (text) => said.push(String(text)));
    sockets.push(socket);
  }
  await expect.poll(() => said.length).toBeGreaterThan(CROWD / 3);
  expect(new Set(said.map((text) => text.slice(9, 12)))).toEqual(new Set(["429"]));
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await ask("/threads", {}).catch(() => undefined))?.status).toBe(200);
  expect(await (await ask("/threads/count", {})).text()).toBe("1");
  child.kill();
  expect(await ended).toEqual({ code: 0, stderr: "" });
});
