import { describe, expect, it } from "vitest";
import { createOpenStreams } from "../../emulator/http/open-streams.ts";
import { streamReply } from "../../emulator/subjects/reply.ts";
import type { World } from "../../emulator/subjects/turn.ts";

/** A world whose records cannot be read, and who listens to its journal. */
function brokenWorld() {
  const listening = new Set<unknown>();
  const fail = () => {
    throw new Error("unreadable");
  };
  const world = {
    defect: undefined,
    ports: { settings: { limits: { agent_streams: 1 }, timings: { agent_heartbeat_ms: 1_000 } } },
    journal: {
      follow(listener: unknown) {
        listening.add(listener);
        return () => listening.delete(listener);
      },
    },
    reader: { get: fail, list: fail },
    turn: fail,
  };
  return { world: world as unknown as World, listening };
}

const follow = { as: "outcome", runId: "r", onDisconnect: "cancel", after: { step: 0, frame: 0 } } as const;

describe("a request that follows a run", () => {
  it.each(["next", "return"] as const)("counts no more once its %s has failed", async (call) => {
    const { world, listening } = brokenWorld();
    const followers = createOpenStreams();
    const { body } = followers.reply(world, streamReply(follow as never, {}), undefined);
    const iterator = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    expect([followers.countIn(world), listening.size]).toEqual([1, 1]);
    await expect(iterator[call]?.()).rejects.toThrow("unreadable");
    expect([followers.countIn(world), listening.size]).toEqual([0, 0]);
    expect(() => followers.admit(world)).not.toThrow();
  });
});
