import { describe, expect, it } from "vitest";
import { applyCommits, emptyState, type WorldState } from "../../emulator/kernel/commit.ts";
import { createSealing } from "../../emulator/storage/journal/sealing.ts";
import { createSecrets } from "../../emulator/storage/secrets.ts";
import { StoreError } from "../../emulator/storage/store-error.ts";

const CAUSE = { type: "request", name: "test" } as const;
const RUN = {
  run_id: "r",
  webhook: "http://h.example/x?t=hidden1",
  kwargs: {
    config: { api_key: ["hidden2", 2, { deep: "hidden3" }] },
    input: "sent to https://a:hidden4@h.example",
  },
};
const EFFECT = {
  number: 1,
  kind: "webhook.post",
  ref: "d",
  lane: "l",
  data: { url: "/in#hidden5", payload: '{"note":"/in#hidden5"}' },
};
const EVENT = { number: 2, at: 0, kind: "webhook.due", ref: "d", cause: "run 1", data: { password: 123456 } };
const STATE: WorldState = {
  ...emptyState(1, 0, { mode: "frozen", rate: 1 }),
  records: {
    agent_runs: [{ key: "r", record: RUN }],
    projects: [{ key: "p", record: { name: "plain" } }],
    agent_checkpoints: [{ key: "c", record: { values: { api_key: "data" } } }],
  },
  queue: [EVENT],
  inFlight: [EFFECT],
};

describe("what a file holds of a world", () => {
  const own = createSecrets();
  const { state, openState, commit } = createSealing(own);

  it("has no secret in clear, and all of them when it is opened", () => {
    const text = JSON.stringify(state(STATE));
    expect(text).not.toMatch(/hidden\d|123456/);
    expect(text).toContain('"name":"plain"');
    expect(openState(JSON.parse(text))).toStrictEqual(STATE);
  });

  it("does not change data without secrets", () => {
    const { records } = state(STATE);
    expect(records.projects?.[0]).toBe(STATE.records.projects?.[0]);
    expect(records.agent_checkpoints?.[0]).toBe(STATE.records.agent_checkpoints?.[0]);
  });

  it("is the same for the commit of a turn, which is not changed itself", () => {
    const { records, queue, inFlight } = STATE;
    const turn = { turn: 1, now: 0, cause: CAUSE, put: records, scheduled: queue, effects: inFlight };
    const before = structuredClone(turn);
    const text = JSON.stringify(commit(turn));
    expect(text).not.toMatch(/hidden\d|123456/);
    expect(turn).toStrictEqual(before);
    const { put, scheduled, effects } = JSON.parse(text);
    expect(openState({ ...STATE, records: put, queue: scheduled, inFlight: effects })).toStrictEqual(STATE);
  });

  it("opens with its own key only", () => {
    const other = createSealing(createSecrets());
    expect(() => other.openState(JSON.parse(JSON.stringify(state(STATE))))).toThrow(StoreError);
  });

  it("is folded without being opened", () => {
    const changed = { ...RUN, webhook: "http://h.example/y?t=hidden6" };
    const turn = {
      turn: 1,
      now: 5,
      cause: CAUSE,
      put: { agent_runs: [{ key: "r", record: changed }] },
      fired: 2,
    };
    const folded = JSON.stringify(applyCommits(state(STATE), [commit(turn)]));
    expect(folded).not.toMatch(/hidden\d/);
    expect(openState(JSON.parse(folded))).toStrictEqual(applyCommits(STATE, [turn]));
  });

  it("opens although an imported event claims to be sealed", () => {
    const queue = [{ ...EVENT, data: { attempt: "1" }, sealed: [["data", "attempt"]] }];
    expect(openState(state({ ...STATE, queue })).queue).toStrictEqual([{ ...EVENT, data: { attempt: "1" } }]);
  });
});
