import { expect, it } from "vitest";
import { threadUrl } from "../../emulator/storage/thread-url.ts";

it.each([
  ["file:///a/dist/chunks/x.js", "file:///a/dist/some/thread.mjs"],
  ["file:///dist/a%20b/dist/bin/emulator.js", "file:///dist/a%20b/dist/some/thread.mjs"],
  ["file:///dist/a/emulator/adapters/x.ts", "file:///dist/a/dist/some/thread.mjs"],
])("seen from %s the thread is %s", (moduleUrl, expected) => {
  expect(threadUrl("some/thread", moduleUrl).href).toBe(expected);
});
