import { afterEach, describe, expect, it } from "vitest";
import { addressOf, BASE_IMAGE, docker, healthy, IMAGE, inspected, ROOT } from "./docker.ts";

const MAX_BYTES = 80_000_000;
const VOLUME = `emulator-check-${process.pid}`;
const containers: string[] = [];

afterEach(async () => {
  if (containers.length > 0) await docker("rm", "--force", "--volumes", ...containers.splice(0));
  await docker("volume", "rm", "--force", VOLUME);
});

async function start(...words: readonly string[]): Promise<string> {
  const id = await docker("run", "--detach", "--publish", "127.0.0.1::4700", ...words);
  containers.push(id);
  await healthy(id);
  return id;
}

/** What a command says that is not to succeed. */
async function refusal(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly told: string }> {
  return docker(...words).then(
    (report) => ({ code: 0, told: report }),
    ({ code, stderr }) => ({ code, told: stderr }),
  );
}

describe("the image", () => {
  it("is one small layer on its base, and runs as nobody in particular", async () => {
    const [own, base] = await Promise.all(
      [IMAGE, BASE_IMAGE].map((name) => inspected<readonly string[]>(name, ".RootFS.Layers")),
    );
    expect(own!.slice(0, base!.length)).toEqual(base);
    expect(own!.length - base!.length).toBe(1);
    const [size, baseSize] = await Promise.all(
      [IMAGE, BASE_IMAGE].map((name) => inspected<number>(name, ".Size")),
    );
    expect(size! - baseSize!).toBeLessThan(MAX_BYTES);
    const config = await inspected<Record<string, unknown>>(IMAGE, ".Config");
    expect(config).toMatchObject({
      User: "1000:1000",
      StopSignal: "SIGTERM",
      Volumes: { "/data": {} },
      ExposedPorts: { "4700/tcp": {}, "4701/tcp": {}, "4702/tcp": {} },
    });
  });

  it("holds what runs, and nothing that only its makers need", async () => {
    const listing = await docker("run", "--rm", "--entrypoint", "find", IMAGE, "/emulator", "-maxdepth", "2");
    const names = listing.split("\n");
    for (const name of ["LICENSE", "dist/THIRD-PARTY-NOTICES", "node_modules/@aws-sdk", "scenarios/shipped"])
      expect(names).toContain(`/emulator/${name}`);
    const strays = /\/(test|bench|\.git|\.ci|\.emulator|node_modules\/(vitest|typescript|testcontainers))$/;
    expect(names.filter((name) => strays.test(name))).toEqual([]);
  });

  it("becomes healthy, exits with 0 on a stop signal, and resumes with its volume", async () => {
    const first = await start("--volume", `${VOLUME}:/data`, IMAGE);
    const url = await addressOf(first, 4700);
    const reply = await fetch(`${url}/threads`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const { thread_id } = (await reply.json()) as { thread_id: string };
    await docker("stop", "--time", "30", first);
    expect(await inspected(first, ".State.ExitCode")).toBe(0);
    const second = await start("--volume", `${VOLUME}:/data`, IMAGE);
    const response = await fetch(`${await addressOf(second, 4700)}/threads/${thread_id}`);
    expect(response.status).toBe(200);
  });

  it("runs for any user, on a disk that cannot be written to, without capabilities", async () => {
    const narrow = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--user", "4321:4321"];
    const id = await start(...narrow, "--volume", `${VOLUME}:/data`, IMAGE);
    expect(await docker("exec", id, "emulator", "status")).toContain("http://127.0.0.1:4700");
  });

  it("stays healthy on a clock that stands still, however often it is asked", async () => {
    const id = await start("--env", "EMULATOR_CLOCK=frozen", IMAGE);
    const { Test } = await inspected<{ readonly Test: readonly [string, ...string[]] }>(
      id,
      ".Config.Healthcheck",
    );
    const [, program, flag, script] = Test;
    const often = `for (let i = 0; i < 300; i++) await fetch("http://127.0.0.1:4700/ok"); ${script}`;
    await docker("exec", id, program!, "--input-type=module", flag!, often);
  });

  it("does what the command line does", async () => {
    expect(await docker("run", "--rm", IMAGE, "demo")).toContain("verified");
    const wrong = await refusal("run", "--rm", IMAGE, "start", "--sede", "7");
    expect(wrong).toEqual({ code: 2, told: expect.stringContaining("did you mean --seed?") });
  });
});

describe("contract run --target container", () => {
  const words = ["contract", "run", "--target", "container"];

  it("says which package it needs", async () => {
    const { code, told: report } = await refusal("run", "--rm", IMAGE, ...words);
    expect({ code, told: report }).toEqual({
      code: 2,
      told: expect.stringContaining("npm install --save-dev testcontainers"),
    });
  });

  it("says that no engine answers", async () => {
    const cli = ["node", "/source/dist/bin/emulator.js"];
    const { code, told: report } = await refusal(
      "run",
      "--rm",
      "--volume",
      `${ROOT}:/source:ro`,
      BASE_IMAGE,
      ...cli,
      ...words,
    );
    expect({ code, told: report }).toEqual({
      code: 2,
      told: expect.stringContaining("no container engine responds"),
    });
  });
});
