import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../emulator/kernel/duration.ts";
import { formatInstant, parseInstant, timeProblem } from "../../emulator/kernel/instant.ts";
import { createEventQueue } from "../../emulator/kernel/queue.ts";

describe("instants", () => {
  it.each([
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"],
    ["2026-01-01T02:00:00.123456789+02:00", "2026-01-01T00:00:00.123000Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999000Z"],
    ["2024-02-29T23:59:59.9-0100", "2024-03-01T00:59:59.900000Z"],
    ["2026-01-01T00:00Z", "2026-01-01T00:00:00.000000Z"],
    ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000000Z"],
  ])("%s is %s", (text, expected) => {
    expect(formatInstant(parseInstant(text) as number)).toBe(expected);
  });

  it.each([
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:00+25:00",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "2016-12-31T23:59:60Z",
    "yesterday",
    "",
  ])("%s is not local", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it("print with six decimals and read back the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62e12, max: 2e14 }), (instant) => {
        expect(formatInstant(instant)).toBe(`${new Date(instant).toISOString().slice(0, -1)}000Z`);
        if (instant > -621e11) expect(parseInstant(formatInstant(instant))).toBe(instant);
      }),
    );
    expect(formatInstant(0)).toBe("1970-01-01T00:00:00.000000Z");
    expect(() => formatInstant(Number.NaN)).toThrow(RangeError);
  });
});

it.each([
  ["2016-12-31T23:59:60Z", "must not be a leap second"],
  ["2016-12-31T23:59:60.5+02:00", "must not be a leap second"],
  ["2026-02-30T00:00:00Z", "must be a day that exists"],
  ["9999-12-31T23:59:59-01:00", "must be a day that exists, from 0001-01-01 to 9999-12-31 in UTC"],
  ["2026-02-30T00:00:60Z", "must be a time"],
  ["2026-01-01T00:00:61Z", "must be a time"],
  [60, "must be a time"],
])("%s %s", (value, problem) => {
  expect(timeProblem(value, "a time")).toContain(problem);
});

describe("durations", () => {
  it.each([
    ["PT6H10M", 22_200_000],
    ["P1D", 86_400_000],
    ["P2W", 1_209_600_000],
    ["PT0.5S", 500],
    ["P1DT1S", 86_401_000],
    ["PT0S", 0],
    ["0s", 0],
  ])("%s has %i milliseconds", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
    expect(parseDuration(formatDuration(ms))).toBe(ms);
  });
});

describe("the event queue", () => {
  it("is ordered by time, then by number", () => {
    const event = fc.record({ at: fc.integer({ min: 0, max: 20 }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (drawnEvents) => {
        const events = drawnEvents.map(({ at }, number) => ({
          number,
          at,
          kind: "k",
          ref: "r",
          data: {},
          cause: "c",
        }));
        const expected = [...events].sort((a, b) => a.at - b.at || a.number - b.number);
        const queue = createEventQueue(events);
        expect(queue.list()).toEqual(expected);
        expect(events.map(() => queue.takeDue(Number.POSITIVE_INFINITY))).toEqual(expected);
        expect(queue.takeDue(Number.POSITIVE_INFINITY)).toBeUndefined();
      }),
    );
  });
});
