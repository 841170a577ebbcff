import { expect, it } from "vitest";
import { createRecording } from "../../emulator/control/recording.ts";
import { type HttpReply, jsonReply } from "../../emulator/subjects/message.ts";

function started() {
  const recording = createRecording(true);
  const ask = (path: string) =>
    recording.record(
      { region: "us", method: "GET", path, query: "", headers: {}, body: new Uint8Array(), address: "" },
      0,
    );
  return { recording, ask };
}

/** What is played again has to go in as it came, whoever was answered first. */
it("a recording lists requests in the order of arrival, not of their replies", () => {
  const { recording, ask } = started();
  const [waits, isQuick] = [ask("/runs/1/wait"), ask("/threads/1")];
  isQuick(jsonReply(200, {}));
  expect(recording.requests.map(({ path }) => path)).toEqual(["/threads/1"]);
  waits(jsonReply(200, {}));
  expect(recording.requests.map(({ path }) => path)).toEqual(["/runs/1/wait", "/threads/1"]);
});

it.each<[string, HttpReply, string | null]>([
  ["a short text", jsonReply(200, "ä"), '"ä"'],
  ["a text of some length", jsonReply(200, "ä".repeat(2_000)), `"${"ä".repeat(2_000)}"`],
  ["the bytes of a long one", jsonReply(200, "ä".repeat(9_000)), `"${"ä".repeat(9_000)}"`],
  ["nothing of one that is too long", jsonReply(200, "x".repeat(70_000)), null],
  ["nothing of what is no text", { status: 200, headers: {}, body: new Uint8Array([1]) }, null],
])("a recording keeps %s", (_what, reply, text) => {
  const { recording, ask } = started();
  ask("/threads")(reply);
  expect(recording.requests.map(({ reply: kept }) => kept)).toEqual([text]);
});
