import { describe, expect, it } from "vitest";
import { divideDescriptors } from "../../../emulator/runtime/process/descriptors.ts";

describe("the files and connections that a process may open", () => {
  it("are divided between worlds, clients and the process itself", () => {
    expect(divideDescriptors(1024)).toEqual({ areFew: true, files: 256, connections: 512 });
    expect(divideDescriptors(128)).toEqual({ areFew: true, files: 32, connections: 32 });
    expect(divideDescriptors(4096)).toEqual({ areFew: false, files: 256, connections: 2816 });
    expect(divideDescriptors(Number.POSITIVE_INFINITY)).toEqual({
      areFew: false,
      files: 256,
      connections: Number.POSITIVE_INFINITY,
    });
  });

  it("are refused below a minimum, with a message", () => {
    const says = "This process may open 127 files and connections, but it needs at least 128.";
    expect(() => divideDescriptors(127)).toThrow(says);
  });
});
