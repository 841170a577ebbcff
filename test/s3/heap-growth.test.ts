import { afterEach, expect, test, vi } from "vitest";

const MIB = 1024 * 1024;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("the heap grows freely while large bodies come in, and as usual ten seconds after the last one", async () => {
  // Another test of this process may have sent a large body a moment ago.
  vi.resetModules();
  const { prepareHeapFor } = await import("../../emulator/s3/front/heap-growth.ts");
  vi.useFakeTimers();
  const set = vi.spyOn(process.getBuiltinModule("node:v8"), "setFlagsFromString").mockReturnValue();
  prepareHeapFor(1024);
  expect(set).not.toHaveBeenCalled();
  prepareHeapFor(MIB);
  vi.advanceTimersByTime(9_000);
  prepareHeapFor(64 * MIB);
  vi.advanceTimersByTime(9_000);
  expect(set.mock.calls).toEqual([["--heap-growing-percent=400"]]);
  vi.advanceTimersByTime(1_000);
  expect(set.mock.calls.at(-1)).toEqual(["--heap-growing-percent=0"]);
  prepareHeapFor(MIB);
  expect(set.mock.calls.at(-1)).toEqual(["--heap-growing-percent=400"]);
  vi.advanceTimersByTime(10_000);
  expect(set).toHaveBeenCalledTimes(4);
});
