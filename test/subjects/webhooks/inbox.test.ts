import { describe, expect, it } from "vitest";
import { readInbox, receive } from "../../../emulator/subjects/webhooks/inbox.ts";
import { INBOX, INBOX_NAMES } from "../../../emulator/subjects/webhooks/records.ts";
import { openWebhookWorld } from "../../support/webhook-world.ts";

type Message = Parameters<typeof receive>[2];

async function openInbox() {
  const { turn, world } = await openWebhookWorld();
  const take = (name: string, message: Partial<Message> = {}) =>
    turn((open) => receive(open, name, { query: "", headers: {}, body: "", ...message }));
  return { take, world, bodies: (name: string) => readInbox(world.reader, name).map(({ body }) => body) };
}

describe("the built-in receiver keeps", () => {
  it("the newest hundred messages of an inbox", async () => {
    const { take, bodies } = await openInbox();
    for (let n = 0; n < 105; n += 1) take("in", { body: String(n) });
    expect(bodies("in")).toEqual(Array.from({ length: 100 }, (_, n) => n + 5));
  });

  it("the newest hundred inboxes", async () => {
    const { take, world, bodies } = await openInbox();
    for (let n = 0; n < 105; n += 1) take(`in-${n}`, { body: String(n) });
    expect([world.reader.count(INBOX_NAMES), [...world.reader.list(INBOX)].length]).toEqual([100, 100]);
    expect([bodies("in-4"), bodies("in-5")]).toEqual([[], [5]]);
  });

  it("the beginning of a long body, and reports the cut", async () => {
    const { take, world } = await openInbox();
    take("in", { body: "x".repeat(70_000) });
    expect([...world.reader.list(INBOX)]).toMatchObject([{ body: "x".repeat(65_536), body_cut: true }]);
  });

  it("nothing of a message with a long query or long headers", async () => {
    const { take, bodies } = await openInbox();
    const large = expect.objectContaining({ status: 413, message: expect.stringContaining("65536") });
    expect(() => take("in", { query: "x".repeat(65_537) })).toThrow(large);
    expect(() => take("in", { headers: { "x-a": "y".repeat(65_536) } })).toThrow(large);
    expect(bodies("in")).toEqual([]);
  });
});
