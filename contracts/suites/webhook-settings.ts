import { suite } from "../engine/case.ts";
import { equal } from "../engine/check.ts";
import type { Members } from "../engine/json.ts";
import { GATES } from "../facts/versions.ts";
import { WEBHOOK_SETTINGS } from "../facts/webhooks.ts";

/** A value of each type that §6.1 gives to a key. */
const VALUES = {
  map: { "X-Static": "fixed" },
  text: "OWN_WEBHOOK_",
  texts: ["example.com", "*.example.org"],
  integers: [443, 8443],
  boolean: true,
  integer: 1000,
} as const;

/** `webhooks.url.x` and a value as the configuration file has them. */
function nested(key: string, value: unknown): Members {
  return key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Members;
}

export const WEBHOOK_SETTING_CASES = suite({
  "6.1/keys": {
    title: "each configuration key is accepted from its version on, with a value of its type",
    requirements: ["6.1-9", "6.1-10"],
    needs: ["settings"],
    async run(t) {
      for (const [key, { type, gate }] of Object.entries(WEBHOOK_SETTINGS)) {
        const settings = { versions: GATES[gate], ...nested(key, VALUES[type]) };
        const row = gate === "disable_webhooks" ? "6.1-9" : "6.1-10";
        t.fact(row, equal(await t.refusesToStart(settings), null), `${key} is accepted`);
      }
    },
  },
});
