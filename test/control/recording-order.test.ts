import { expect, it } from "vitest";
import { createRecording } from "../../emulator/control/recording.ts";
import type { HttpRequest } from "../../emulator/subjects/message.ts";

/** What is played again has to go in as it came, whoever was answered first. */
it("a recording lists requests in the order of arrival, not of their replies", () => {
  const recording = createRecording(true);
  const ask = (path: string) => {
    const request = { region: "us", method: "GET", path, query: "", headers: {}, body: new Uint8Array() };
    const keep = recording.record(request as unknown as HttpRequest, 0);
    return () => keep?.({ status: 200, headers: {}, body: "{}" });
  };
  const [waits, isQuick] = [ask("/runs/1/wait"), ask("/threads/1")];
  isQuick();
  expect(recording.requests.map(({ path }) => path)).toEqual(["/threads/1"]);
  waits();
  expect(recording.requests.map(({ path }) => path)).toEqual(["/runs/1/wait", "/threads/1"]);
});
