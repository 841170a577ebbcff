import { beforeEach, describe, expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { HEADERS, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig());
let fork: Emulator;

beforeEach(async () => {
  await rig.emulator.request("/threads", { json: {} });
  fork = await rig.emulator.fork({ id: "side" });
});

interface Line {
  readonly turn: number;
  readonly cause: { readonly name: string };
}

/** Reads a followed journal line by line; undefined at its end. */
async function follow(url: string, query = "") {
  const reply = await fetch(`${url}/_emulator/v1/journal?follow=1${query}`);
  const reader = (reply.body as ReadableStream<BufferSource>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  return {
    async next(): Promise<Line | undefined> {
      for (let end = text.indexOf("\n"); ; end = text.indexOf("\n")) {
        if (end !== -1) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return JSON.parse(line);
        }
        const { value, done } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
    leave: () => reader.cancel(),
  };
}

const followers = async (world: Emulator) =>
  (await world.control<{ journal_followers: number }>("GET", "/status")).journal_followers;

describe("the journal of a forked world", () => {
  it("is followed below its base path, and has no entries of other worlds", async () => {
    const journal = await follow(fork.url);
    await rig.emulator.clock.advance("PT1H");
    await rig.emulator.request("/threads", { json: {} });
    await fork.request("/assistants/search", { json: {} });
    await fork.clock.advance("PT1H");
    expect((await journal.next())?.cause.name).toBe("searchAssistants");
    expect((await journal.next())?.cause.name).toBe("clock.advance");
    await journal.leave();
  });

  it("ends for its followers when the world is removed, and for those of other worlds it does not", async () => {
    const whenIdle = await followers(rig.emulator);
    const [side, main] = [await follow(fork.url), await follow(rig.emulator.url, "&since=1000")];
    expect(await followers(rig.emulator)).toBe(whenIdle + 1);
    await fork.request("/threads", { json: {} });
    expect((await side.next())?.cause.name).toBe("createThread");
    await fork.close();
    expect(await side.next()).toBe(undefined);
    await rig.emulator.request("/threads", { json: {} });
    expect((await main.next())?.cause.name).toBe("createThread");
    expect(await followers(rig.emulator)).toBe(whenIdle + 1);
    await main.leave();
  });

  it("ends when the world is reset, which starts another journal", async () => {
    const before = await follow(fork.url);
    await fork.reset();
    expect(await before.next()).toBe(undefined);
    const after = await follow(fork.url);
    await fork.request("/threads", { json: {} });
    const names: (string | undefined)[] = [];
    while (names.at(-1) !== "createThread") names.push((await after.next())?.cause.name);
    expect(names).toEqual(["seed", "seed", "createThread"]);
    await after.leave();
  });
});

describe("a stream of a forked world", () => {
  it("ends with an error event when the world is removed", async () => {
    await fork.control("POST", "/agent/scripts", { match: {}, then: { never_starts: true } });
    const stream = await fetch(`${fork.url}/runs/stream`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ assistant_id: "echo", input: {} }),
    });
    const text = stream.text();
    await fork.close();
    expect(await text).toContain("The world side was removed.");
    expect(await rig.emulator.control("GET", "/status")).toMatchObject({ open_streams: 0 });
  });
});
