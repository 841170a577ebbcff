import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { configurationSchema } from "../../emulator/config/schema.ts";
import { SETTINGS } from "../../emulator/config/settings.ts";

const validate = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  formats: { "date-time": true },
}).compile(configurationSchema());

describe("the schema of the configuration file", () => {
  it("has every setting", () => {
    const text = JSON.stringify(configurationSchema());
    for (const [path, { help }] of SETTINGS) expect(text, path).toContain(JSON.stringify(help).slice(1, -1));
  });

  it("admits what the reader admits", () => {
    const tree = {
      server: { port: 0, ephemeral: true },
      clock: { mode: "frozen", now: "2026-01-01T00:00:00Z" },
      limits: { workflow_timeout: "PT48H" },
      assumptions: { "export.status_casing": "title" },
      webhooks: { url: { require_https: true } },
      rate_limits: "off",
    };
    expect(validate(tree), JSON.stringify(validate.errors)).toBe(true);
    const more = {
      rate_limits: {
        rows: { catch_all: { count: 5, seconds: 1 }, runs_stats: { us: { count: 2 }, eu: "1 / 2" } },
      },
      seed_data: { keys: [{ access_key_id: "reader", secret_access_key: "s", allow: ["get", "list"] }] },
    };
    expect(validate(more), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    { server: { prot: 1 } },
    { clock: "frozen" },
    { limits: { workflow_timeout: "48 hours" } },
    { assumptions: { "export.start": "now" } },
    { rate_limits: { rows: { catch_all: { count: 5, minutes: 1 } } } },
    { seed_data: { keys: [{ access_key_id: "reader" }] } },
  ])("refuses %j", (tree) => {
    expect(validate(tree)).toBe(false);
  });
});
