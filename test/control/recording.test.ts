import { expect, it } from "vitest";
import { createRecording } from "../../emulator/control/recording.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../emulator/subjects/message.ts";

const LIMITS = { recorded_requests: 2_000, recorded_bytes: 8_388_608, recorded_body_bytes: 65_536 };

function startRecording() {
  const recording = createRecording(true, LIMITS);
  const ask = (path: string, headers: HttpRequest["headers"] = {}) =>
    recording.begin(
      { region: "us", method: "GET", path, query: "", headers, body: new Uint8Array(), address: "" },
      { now: 0, lastTurn: 0 },
    ).store;
  return { recording, ask };
}

/** A replay sends requests in the order in which they were received, not in the order of the replies. */
it("a recording lists requests in the order of arrival, not of their replies", () => {
  const { recording, ask } = startRecording();
  const [waits, isQuick] = [ask("/runs/1/wait"), ask("/threads/1")];
  isQuick(jsonReply(200, {}));
  expect(recording.requests().map(({ path }) => path)).toEqual(["/threads/1"]);
  waits(jsonReply(200, {}));
  expect(recording.requests().map(({ path }) => path)).toEqual(["/runs/1/wait", "/threads/1"]);
});

it.each<[string, HttpReply, string | null]>([
  ["a short text", jsonReply(200, "ä"), '"ä"'],
  ["a text of some length", jsonReply(200, "ä".repeat(2_000)), `"${"ä".repeat(2_000)}"`],
  ["the bytes of a long one", jsonReply(200, "ä".repeat(9_000)), `"${"ä".repeat(9_000)}"`],
  ["nothing of one that is too long", jsonReply(200, "x".repeat(70_000)), null],
  ["no body that is not text", { status: 200, headers: {}, body: new Uint8Array([1]) }, null],
])("a recording keeps %s", (_what, reply, text) => {
  const { recording, ask } = startRecording();
  ask("/threads")(reply);
  expect(recording.requests().map(({ reply: expected }) => expected)).toEqual([text]);
});

it("a recording gives up the oldest requests, by their number and by their bytes", () => {
  const { recording, ask } = startRecording();
  const paths = (): readonly string[] => recording.requests().map(({ path }) => path);
  for (let n = 0; n < 2_000; n += 1) ask(`/${n}`)(jsonReply(200, {}));
  expect([recording.facts().complete, paths().length]).toEqual([true, 2_000]);
  for (let n = 2_000; n < 4_100; n += 1) ask(`/${n}`)(jsonReply(200, {}));
  expect(paths()).toEqual(Array.from({ length: 2_000 }, (_, n) => `/${2_100 + n}`));
  for (let n = 0; n < 140; n += 1) ask(`/long/${n}`)(jsonReply(200, "x".repeat(60_000)));
  expect([recording.facts().complete, paths().length, paths().at(-1)]).toEqual([false, 139, "/long/139"]);
});

it("a recording has the headers of each request", () => {
  const { recording, ask } = startRecording();
  const send = [{ "x-user-id": "a" }, { "x-user-id": "a" }, {}, { "x-user-id": "b", accept: "*/*" }];
  for (const headers of send) ask("/threads", headers)(jsonReply(200, {}));
  expect(recording.requests().map(({ headers }) => headers)).toEqual([
    { "x-user-id": "a" },
    { "x-user-id": "a" },
    {},
    { "x-user-id": "b" },
  ]);
});
