// Runs before each test file, also where files share a process and with it the modules that they import.
import { afterEach, expect } from "vitest";
import { endProcesses } from "./emulator-process.ts";

afterEach(endProcesses);

// One by one, as the others are compared, a mebibyte of bytes takes a second. What differs goes that way, and is shown.
expect.addEqualityTesters([
  (one: unknown, other: unknown) =>
    one instanceof Uint8Array &&
    other instanceof Uint8Array &&
    one.constructor === other.constructor &&
    Buffer.compare(one, other) === 0
      ? true
      : undefined,
]);
