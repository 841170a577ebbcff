import { describe, expect, it } from "vitest";
import { resolveConfiguration, type Sources } from "../../emulator/config/resolve.ts";
import type { RateLimitSettings } from "../../emulator/subjects/settings.ts";

async function limits(sources: Omit<Sources, "cwd">): Promise<RateLimitSettings> {
  const resolution = await resolveConfiguration({ cwd: "/", ...sources });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return resolution.configuration.settings.rateLimits;
}

describe("the settings of rate limits", () => {
  it("are enabled with the unchanged table by default", async () => {
    expect(await limits({})).toMatchObject({
      enabled: true,
      window: "fixed",
      headers: "ratelimit",
      trigger_methods: "DELETE",
      scale: 1,
      trusted_proxies: [],
      rows: { runs_stats: { us: { count: 1, seconds: 10 }, eu: { count: 20, seconds: 10 } } },
    });
  });

  it.each<[string, Omit<Sources, "cwd">]>([
    ["a flag", { flags: { "rate-limits": "off" } }],
    ["its environment twin", { env: { EMULATOR_RATE_LIMITS: "off" } }],
    ["its option", { options: { rateLimits: "off" } }],
    ["the section as a switch", { options: { rate_limits: "off" } }],
    ["the section as false", { options: { rate_limits: false } }],
    ["the section's own key", { options: { rate_limits: { enabled: "off" } } }],
  ])("are switched off by %s", async (_, sources) => {
    expect((await limits(sources)).enabled).toBe(false);
  });

  it("are read from the environment too, rows included", async () => {
    const env = {
      EMULATOR_RATE_LIMITS__WINDOW: "sliding",
      EMULATOR_RATE_LIMITS__SCALE: "0.5",
      EMULATOR_RATE_LIMITS__TRUSTED_PROXIES: "10.0.0.0/8,::1",
      EMULATOR_RATE_LIMITS__ROWS__RUNS_QUERY_KEY: "3 / 7",
      EMULATOR_RATE_LIMITS__ROWS__CATCH_ALL: "5",
      EMULATOR_RATE_LIMITS__ROWS__RUNS_STATS: '{"eu":2}',
    };
    expect(await limits({ env })).toMatchObject({
      window: "sliding",
      trusted_proxies: ["10.0.0.0/8", "::1"],
      rows: {
        runs_query_key: { us: { count: 3, seconds: 7 } },
        catch_all: { eu: { count: 5, seconds: 60 } },
        runs_stats: { us: { count: 1 }, eu: { count: 2, seconds: 10 } },
        examples: { us: { count: 2500 } },
      },
    });
  });

  it("take the count and the seconds of a row by their names, for a region too", async () => {
    const rows = {
      runs_stats: { count: 4, seconds: 5 },
      catch_all: { seconds: 30 },
      runs_query_key: { eu: { count: 6 }, us: "3 / 7" },
    };
    const fromOptions = await limits({ options: { rate_limits: { rows } } });
    expect(fromOptions.rows).toMatchObject({
      runs_stats: { us: { count: 4, seconds: 5 }, eu: { count: 4, seconds: 5 } },
      catch_all: { us: { count: 100, seconds: 30 } },
      runs_query_key: { us: { count: 3, seconds: 7 }, eu: { count: 6, seconds: 10 } },
    });
    const env = { EMULATOR_RATE_LIMITS__ROWS__RUNS_STATS: '{"count":4,"seconds":5}' };
    expect((await limits({ env })).rows.runs_stats.eu).toEqual({ count: 4, seconds: 5 });
  });

  it.each([
    {},
    { count: 0 },
    { count: 1.5 },
    { seconds: 0 },
    { count: 1, seconds: 86_401 },
    { count: 1, minutes: 1 },
    { us: {} },
    { us: { count: 1 }, asia: { count: 1 } },
  ])("refuse %j for a row", async (row) => {
    await expect(limits({ options: { rate_limits: { rows: { catch_all: row } } } })).rejects.toThrow(
      /catch_all: .* is not valid; give a count such as 15, "15 \/ 10" or \{ count: 15, seconds: 10 \}/,
    );
  });

  it("name the accepted values in a refusal", async () => {
    await expect(limits({ flags: { "rate-limits": "sometimes" } })).rejects.toThrow(
      /--rate-limits.*one of true, false, on, off/,
    );
    await expect(limits({ options: { rate_limits: "sometimes" } })).rejects.toThrow(
      /rate_limits.*one of true, false, on, off/,
    );
    await expect(limits({ options: { rate_limits: { rows: { catch_all: "many" } } } })).rejects.toThrow(
      /15 \/ 10/,
    );
  });
});
