import { expect, it } from "vitest";
import { handleControl } from "../../emulator/control/gateway.ts";
import type { ControlContext } from "../../emulator/subjects/control-operation.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";
import { openWorld } from "../support/world.ts";

const rig = useRig("test", () => startRig());
const followers = async () =>
  (await rig.emulator.control<{ journal_followers: number }>("GET", "/status")).journal_followers;

async function follow(since = 0) {
  const controller = new AbortController();
  const url = `${rig.emulator.url}/_emulator/v1/journal?follow=1&since=${since}`;
  const reply = await fetch(url, { signal: controller.signal });
  return { controller, reader: (reply.body as ReadableStream<Uint8Array>).getReader() };
}

it("a journal follower that disconnects is removed at once", async () => {
  const before = await followers();
  const open = await Promise.all([follow(), follow(), follow()]);
  await expect.poll(followers, { interval: 1 }).toBe(before + 3);
  for (const { controller } of open) controller.abort();
  await expect.poll(followers, { interval: 1 }).toBe(before);
});

it("a journal follower gets past and new entries until a reset", async () => {
  await rig.call("POST", "/threads", {});
  const { reader } = await follow();
  const decoder = new TextDecoder();
  let text = "";
  const received = async (expected: number) => {
    while (text.split("createThread").length - 1 < expected) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`It ended after: ${text}`);
      text += decoder.decode(value, { stream: true });
    }
  };
  await received(1);
  await rig.call("POST", "/threads", {});
  await received(2);
  await rig.emulator.control("POST", "/reset", {});
  for (let done = false; !done; ) ({ done } = await reader.read());
});

type Followed = ReturnType<typeof openWorld>["world"];

function addTurns(world: Followed, count: number): void {
  for (let turns = 0; turns < count; turns += 1)
    world.turn({ type: "control", name: "test" }, () => undefined);
}

async function linesOf(world: Followed): Promise<AsyncIterator<string>> {
  const bytes = new Uint8Array(0);
  const request = { region: "us", method: "GET", path: "/_emulator/v1/journal", query: "follow=1" };
  const context = { world } as unknown as ControlContext;
  const { body } = await handleControl(context, { ...request, headers: {}, body: bytes, address: "" });
  return (body as AsyncIterable<string>)[Symbol.asyncIterator]();
}

it("cuts off a journal follower that does not read, so that it can tell this from the end of the journal", async () => {
  const { world } = openWorld();
  const lines = await linesOf(world);
  addTurns(world, 10_100);
  await expect(lines.next()).rejects.toThrow("too slow");
});

it("follows a journal that retains more turns than a follower may be late", async () => {
  const { world } = openWorld();
  addTurns(world, 10_100);
  const lines = await linesOf(world);
  expect((await lines.next()).value).toContain('"turn":1,');
});
