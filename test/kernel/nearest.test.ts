import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "../../emulator/kernel/nearest.ts";

describe("nearest", () => {
  it("finds the word that was meant, swapped letters included", () => {
    expect(nearest("prot", ["host", "port", "data"])).toBe("port");
    expect(nearest("workflow_timout", ["run_timeout", "workflow_timeout"])).toBe("workflow_timeout");
  });

  it("returns nothing when no word is near", () => {
    expect(nearest("colour", ["host", "port", "data"])).toBeUndefined();
  });

  it("counts insertions, deletions, replacements and swaps", () => {
    expect(editDistance("", "abc")).toBe(3);
    expect(editDistance("abc", "")).toBe(3);
    expect(editDistance("abc", "axc")).toBe(1);
    expect(editDistance("abcd", "abdc")).toBe(1);
    expect(editDistance("same", "same")).toBe(0);
  });
});
