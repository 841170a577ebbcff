import { Client as Client1 } from "langgraph-sdk-1";
import { Client as Client2 } from "langgraph-sdk-2";
import { Client as Traces } from "langsmith";
import { afterEach, expect, it, vi } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const NONE = "00000000-0000-4000-8000-00000000dead";

const rig = useRig("file", () => startRig());

afterEach(() => vi.restoreAllMocks());
const options = () => ({ apiUrl: rig.emulator.url, apiKey: "emulator-key" });

/** Calls of public clients, with the retries that their users have, to what the specification does not show. */
const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  "langgraph-sdk 1.15.0 store.getItem": () => new Client1(options()).store.getItem(["a"], "b"),
  "langgraph-sdk 1.15.0 store.putItem": () => new Client1(options()).store.putItem(["a"], "b", {}),
  "langgraph-sdk 1.15.0 assistants.getSchemas": () => new Client1(options()).assistants.getSchemas("agent"),
  "langgraph-sdk 2.0.0 store.putItem": () => new Client2(options()).store.putItem(["a"], "b", {}),
  "langgraph-sdk 2.0.0 assistants.getSchemas": () => new Client2(options()).assistants.getSchemas("agent"),
  "langsmith createDataset": () => new Traces(options()).createDataset("a"),
  "langsmith createAnnotationQueue": () => new Traces(options()).createAnnotationQueue({ name: "a" }),
  "langsmith deleteExample": () => new Traces(options()).deleteExample(NONE),
  "langsmith evaluators.retrieve": () => new Traces(options()).evaluators.retrieve(NONE),
  "langsmith runs.share.create": () =>
    new Traces(options()).runs.share.create(NONE, { session_id: NONE, trace_id: NONE }),
};

it.each(Object.entries(CALLS))("%s fails at once, with the section that is silent", async (_name, call) => {
  const fetchSpy = vi.spyOn(globalThis, "fetch");
  await expect(call()).rejects.toThrow(/404.*is not emulated: §(1|4|8\.5) /s);
  const requests = fetchSpy.mock.calls.filter(
    ([url]) => !String(url instanceof Request ? url.url : url).endsWith("/info"),
  );
  expect(requests).toHaveLength(1);
});

it("the status is one setting for all of them", async () => {
  const other = await startRig({ assumptions: { "platform.unlisted_path": 501 } });
  for (const [method, path] of [
    ["GET", "/repos"],
    ["GET", "/datasets"],
    ["PUT", "/store/items"],
    ["GET", "/"],
  ] as const) {
    const { status, header } = await other.call(method, path);
    expect([status, header("x-emulator-warning")]).toEqual([
      501,
      expect.stringMatching(/^not emulated: section /),
    ]);
  }
  await other.close();
});
