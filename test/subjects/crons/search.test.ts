import { describe, expect, it } from "vitest";
import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { countCrons, cronOf, cronView, searchCrons } from "../../../emulator/subjects/crons/search.ts";
import { openCronWorld } from "../../support/agent-world.ts";
import { WORKSPACE } from "../../support/world.ts";

describe("a search", () => {
  it("finds by all its filters, the newest first, a page at a time", async () => {
    const world = await openCronWorld();
    const thread = world.thread();
    const a = world.create({ metadata: { team: "blue" } });
    const b = world.create({ enabled: false }, thread);
    const c = world.create({ assistant_id: "slow" });
    const ids = (search: BodyOf<"searchCrons">) =>
      world.turn((turn) => searchCrons(turn, WORKSPACE, search)).items.map(({ cron_id }) => cron_id);
    expect(ids({})).toEqual([c.cron_id, b.cron_id, a.cron_id]);
    expect(ids({ sort_order: "asc", limit: 2 })).toEqual([a.cron_id, b.cron_id]);
    expect(ids({ limit: 2, offset: 2 })).toEqual([a.cron_id]);
    expect(ids({ sort_by: "next_run_date", sort_order: "asc" })).toEqual([a.cron_id, c.cron_id, b.cron_id]);
    expect(ids({ thread_id: thread })).toEqual([b.cron_id]);
    expect(ids({ enabled: false })).toEqual([b.cron_id]);
    expect(ids({ assistant_id: "slow" })).toEqual([c.cron_id]);
    expect(ids({ assistant_id: c.assistant_id })).toEqual([c.cron_id]);
    expect(ids({ metadata: { team: "blue" } })).toEqual([a.cron_id]);
    expect(world.turn((turn) => countCrons(turn, WORKSPACE, { thread_id: thread }))).toBe(1);
    const part = world.turn((turn) =>
      searchCrons(turn, WORKSPACE, { select: ["schedule", "now"], limit: 1 }),
    );
    expect(part).toEqual({
      items: [{ schedule: "0 * * * *" }],
      headers: { "x-pagination-total": "3", "x-pagination-next": "1" },
    });
    const last = world.turn((turn) => searchCrons(turn, WORKSPACE, { limit: 1, offset: 2 }));
    expect(last.headers).toEqual({ "x-pagination-total": "3" });
  });

  it("sees no other workspace", async () => {
    const world = await openCronWorld();
    const { cron_id } = world.create();
    const other = { ...WORKSPACE, region: "eu" };
    expect(world.turn((turn) => searchCrons(turn, other, {})).items).toEqual([]);
    expect(() => world.turn((turn) => cronOf(turn, other, cron_id))).toThrow("not found");
  });

  it("shows a cron with every field that clients read", async () => {
    const world = await openCronWorld();
    const cron = world.create({
      input: { a: 1 },
      timezone: "Europe/Berlin",
      webhook: "https://hooks.example/x",
    });
    expect(world.turn((turn) => cronView(turn.ports.settings, cron))).toEqual({
      cron_id: cron.cron_id,
      assistant_id: cron.assistant_id,
      thread_id: null,
      on_run_completed: "delete",
      end_time: null,
      schedule: "0 * * * *",
      timezone: "Europe/Berlin",
      created_at: "2026-03-01T00:00:00.000000Z",
      updated_at: "2026-03-01T00:00:00.000000Z",
      user_id: null,
      payload: { assistant_id: "echo", input: { a: 1 }, webhook: "https://hooks.example/x" },
      next_run_date: "2026-03-01T01:00:00.000000Z",
      metadata: {},
      enabled: true,
    });
  });
});
