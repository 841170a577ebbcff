import { describe, expect, it } from "vitest";
import { createBatch } from "../../../emulator/storage/journal/batch.ts";

function batchOn(written: string[]) {
  return createBatch((lines) => void written.push(lines));
}

describe("lines of one round of the event loop", () => {
  it("are written in one go, before anybody hears that they are kept", async () => {
    const written: string[] = [];
    const batch = batchOn(written);
    for (const line of ["a\n", "b\n", "c\n"]) batch.addSoon(line);
    expect(written).toEqual([]);
    await batch.flushed();
    expect(written).toEqual(["a\nb\nc\n"]);
    expect(batch.flushed()).toBeUndefined();
  });

  it("go ahead of a line that cannot wait, in their order", async () => {
    const written: string[] = [];
    const batch = batchOn(written);
    batch.addSoon("a\n");
    batch.add("b\n");
    batch.flush();
    expect(written).toEqual(["a\nb\n"]);
    batch.addSoon("c\n");
    await batch.flushed();
    expect(written).toEqual(["a\nb\n", "c\n"]);
  });

  it("are never taken for kept when they could not be written", async () => {
    const failures: Error[] = [];
    const full = new Error("no room");
    const fail = () => {
      throw full;
    };
    const batch = createBatch(fail, (error) => void failures.push(error));
    batch.addSoon("a\n");
    await expect(batch.flushed()).rejects.toBe(full);
    expect(failures).toEqual([full]);
    batch.add("b\n");
    expect(() => batch.flush()).toThrow(full);
  });

  it("tell those who wait when a flush in between has failed", async () => {
    const full = new Error("no room");
    const batch = createBatch(() => {
      throw full;
    });
    batch.addSoon("a\n");
    const kept = batch.flushed();
    expect(() => batch.flush()).toThrow(full);
    await expect(kept).rejects.toBe(full);
  });
});
