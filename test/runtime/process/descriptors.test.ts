import { describe, expect, it } from "vitest";
import { divideDescriptors } from "../../../emulator/runtime/process/descriptors.ts";

describe("the files and connections that a process may open", () => {
  it("are divided between worlds, clients and the process itself", () => {
    expect(divideDescriptors(1024)).toEqual({ files: 256, connections: 704 });
    expect(divideDescriptors(128)).toEqual({ files: 32, connections: 32 });
    expect(divideDescriptors(Number.POSITIVE_INFINITY).files).toBe(256);
  });

  it("are too few below a bound, which is said", () => {
    const says = "This process may open 127 files and connections, and needs 128 at least.";
    expect(() => divideDescriptors(127)).toThrow(says);
  });
});
