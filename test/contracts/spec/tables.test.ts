import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AGENT_LIMITS } from "../../../contracts/spec/agent/limits.ts";
import { DESTINATION_ERRORS } from "../../../contracts/spec/failures.ts";
import {
  EXPORT_MOVES,
  EXPORT_RUN_MOVES,
  EXPORT_STATUSES,
  type Move,
  OBSERVED_SPELLINGS,
} from "../../../contracts/spec/lifecycle.ts";
import { LIMITS } from "../../../contracts/spec/limits.ts";
import { DEFAULT_VERSIONS, VERSION_GATES } from "../../../contracts/spec/versions.ts";

const SPEC = new URL("../../../contracts/spec/", import.meta.url);

test("the tables import nothing from outside their folder", () => {
  const files = readdirSync(SPEC, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(40);
  for (const file of files) {
    const url = new URL(file, SPEC);
    const from = [...readFileSync(url, "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)];
    const outside = from
      .map(([, path = ""]) => path)
      .filter((path) => !path.startsWith(".") || !new URL(path, url).href.startsWith(SPEC.href));
    expect(outside, file).toEqual([]);
  }
});

describe("§3.1 statuses", () => {
  test.each([
    ["exports", EXPORT_MOVES],
    ["export runs", EXPORT_RUN_MOVES],
  ] as [string, readonly Move[]][])(
    "no move of %s leads out of a final one, none is there twice",
    (_, moves) => {
      expect(moves.filter(({ from }) => EXPORT_STATUSES[from].final)).toEqual([]);
      const keys = moves.map(({ from, trigger }) => `${from} ${trigger}`);
      expect(new Set(keys).size).toBe(keys.length);
    },
  );

  test("also have the spellings of the public service", () => {
    expect(OBSERVED_SPELLINGS).toEqual({
      CREATED: "Created",
      RUNNING: "Running",
      COMPLETED: "Completed",
      FAILED: "Failed",
      CANCELLED: "Cancelled",
      TIMEDOUT: "TimedOut",
    });
  });
});

describe("§8 limits", () => {
  test("the others are bounds of our own", () => {
    const own = Object.entries(LIMITS).flatMap(([key, row]) => ("own" in row ? [[key, row.value]] : []));
    expect(Object.fromEntries(own)).toMatchObject({
      ...Object.fromEntries(Object.entries(AGENT_LIMITS).map(([key, { value }]) => [key, value])),
      rows_per_file: 10_000,
      bytes_per_file: 64 * 1024 * 1024,
      body_bytes: 20 * 1024 * 1024,
      events_per_advance: 1_000_000,
    });
  });
});

test("§7.2: each message of a destination's error begins with the error's name", () => {
  for (const { name, message } of Object.values(DESTINATION_ERRORS))
    expect(message.startsWith(name)).toBe(true);
});

describe("§9.4 versions", () => {
  test("the emulated ones pass every gate", () => {
    const parts = (version: string) => version.split(".").map(Number);
    const atLeast = (have: string, need: string) => {
      const [a, b] = [parts(have), parts(need)];
      const first = a.findIndex((part, index) => part !== b[index]);
      return first === -1 || (a[first] as number) > (b[first] as number);
    };
    for (const gate of Object.values(VERSION_GATES))
      for (const [name, version] of Object.entries(DEFAULT_VERSIONS))
        if (name in gate) expect(atLeast(version, gate[name as never])).toBe(true);
  });
});
