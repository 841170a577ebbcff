import { afterEach, describe, expect, it } from "vitest";
import { createSchedules } from "../../../emulator/subjects/crons/schedules.ts";

const schedules = createSchedules();

function firings(schedule: string, timezone: string | null, after: string, count: number): string[] {
  const results: string[] = [];
  let at = Date.parse(after);
  for (let n = 0; n < count; n += 1) {
    at = schedules.next(schedule, timezone, at) ?? Number.NaN;
    results.push(new Date(at).toISOString().replace(".000Z", "Z"));
  }
  return results;
}

describe("a schedule", () => {
  it.each([
    ["*/5 * * * *", "2026-01-01T00:05:00Z"],
    ["0 8 * * *", "2026-01-01T08:00:00Z"],
    ["0 9 * * MON-FRI", "2026-01-01T09:00:00Z"],
    ["0 0 * * 7", "2026-01-04T00:00:00Z"],
    ["0 0 1,15 * *", "2026-01-15T00:00:00Z"],
    ["0 0 13 * FRI", "2026-01-02T00:00:00Z"],
    ["* * * * * */15", "2026-01-01T00:00:15Z"],
    ["0 12 * * * 30", "2026-01-01T12:00:30Z"],
    ["@hourly", "2026-01-01T01:00:00Z"],
    ["@daily", "2026-01-02T00:00:00Z"],
    ["@midnight", "2026-01-02T00:00:00Z"],
    ["@weekly", "2026-01-04T00:00:00Z"],
    ["@monthly", "2026-02-01T00:00:00Z"],
    ["@YEARLY", "2027-01-01T00:00:00Z"],
    ["@annually", "2027-01-01T00:00:00Z"],
    ["  0   8 * * * ", "2026-01-01T08:00:00Z"],
    ["0 0 29 2 *", "2028-02-29T00:00:00Z"],
  ])("%s fires next at %s", (schedule, expected) => {
    expect(schedules.problem(schedule, null)).toBeUndefined();
    expect(firings(schedule, null, "2026-01-01T00:00:00Z", 1)).toEqual([expected]);
  });

  it("fires after the instant it is asked for, never at it", () => {
    expect(firings("0 0 * * *", null, "2026-01-01T00:00:00Z", 1)).toEqual(["2026-01-02T00:00:00Z"]);
    expect(firings("0 0 * * *", null, "2025-12-31T23:59:59.999Z", 1)).toEqual(["2026-01-01T00:00:00Z"]);
  });

  it.each([
    "* * * *",
    "* * * * * * *",
    "61 * * * *",
    "nonsense",
    "@reboot",
    "@every 5m",
    "*/0 * * * *",
    "5-1 * * * *",
    "2026-01-01T00:00:00",
    "",
    "a b c d e",
    "0 0 30 2 *",
  ])("cannot be %j", (schedule) => {
    expect(schedules.problem(schedule, null)).toMatchObject({
      field: "schedule",
      message: `Invalid schedule: '${schedule}'.`,
    });
  });

  it.each(["Nowhere/City", "+02:00", "UTC+2", "", " "])("has no time zone %j", (timezone) => {
    expect(schedules.problem("0 0 * * *", timezone)).toMatchObject({
      field: "timezone",
      hint: expect.stringContaining("America/New_York"),
    });
  });
});

describe("daylight saving in Berlin", () => {
  it("a daily time that is skipped fires at the change", () => {
    expect(firings("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3)).toEqual([
      "2026-03-28T01:30:00Z",
      "2026-03-29T01:00:00Z",
      "2026-03-30T00:30:00Z",
    ]);
  });

  it("a daily time that occurs twice fires once", () => {
    expect(firings("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", 3)).toEqual([
      "2026-10-24T00:30:00Z",
      "2026-10-25T00:30:00Z",
      "2026-10-26T01:30:00Z",
    ]);
  });

  it("nine in the morning stays nine in the morning", () => {
    expect(firings("0 9 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3)).toEqual([
      "2026-03-28T08:00:00Z",
      "2026-03-29T07:00:00Z",
      "2026-03-30T07:00:00Z",
    ]);
  });

  it.each(["2026-03-28T22:30:00Z", "2026-10-24T22:30:00Z"])(
    "every hour stays every hour after %s",
    (after) => {
      const results = firings("0 * * * *", "Europe/Berlin", after, 6).map(Date.parse);
      expect(results.slice(1).map((at, n) => at - (results[n] ?? 0))).toEqual(Array(5).fill(3_600_000));
    },
  );
});

describe("daylight saving in New York", () => {
  it("skips to the change in March, and does not repeat itself in November", () => {
    expect(firings("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2)).toEqual([
      "2026-03-08T07:00:00Z",
      "2026-03-09T06:30:00Z",
    ]);
    expect(firings("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", 2)).toEqual([
      "2026-11-01T05:30:00Z",
      "2026-11-02T06:30:00Z",
    ]);
  });
});

describe("the machine's own time zone", () => {
  const own = process.env.TZ;
  afterEach(() => {
    if (own === undefined) delete process.env.TZ;
    else process.env.TZ = own;
  });

  it.each(["UTC", "Asia/Kolkata", "America/New_York"])("makes no difference: %s", (zone) => {
    process.env.TZ = zone;
    expect(firings("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 1)).toEqual([
      "2026-03-29T01:00:00Z",
    ]);
    expect(firings("15 3 * * 1", null, "2026-03-28T00:00:00Z", 1)).toEqual(["2026-03-30T03:15:00Z"]);
  });
});
