import { describe, expect, it } from "vitest";
import { resolveConfiguration, type Sources } from "../../../emulator/adapters/config/resolve.ts";
import type { RateLimitSettings } from "../../../emulator/domain/settings.ts";

async function limits(sources: Omit<Sources, "cwd">): Promise<RateLimitSettings> {
  const resolution = await resolveConfiguration({ cwd: "/", ...sources });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return resolution.configuration.settings.rateLimits;
}

describe("the settings of rate limits", () => {
  it("are on, with the table as it is, when nothing is said", async () => {
    expect(await limits({})).toMatchObject({
      enabled: true,
      window: "fixed",
      headers: "none",
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

  it("say what they take where they are refused", async () => {
    await expect(limits({ flags: { "rate-limits": "sometimes" } })).rejects.toThrow(
      /--rate-limits.*true or false/,
    );
    await expect(limits({ options: { rate_limits: "sometimes" } })).rejects.toThrow(
      /rate_limits.*true or false/,
    );
    await expect(limits({ options: { rate_limits: { rows: { catch_all: "many" } } } })).rejects.toThrow(
      /15 \/ 10/,
    );
  });
});
