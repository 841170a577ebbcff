import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manualPage } from "../../build/docs/man.ts";
import { LOOK_UP } from "../../build/docs/pages.ts";
import { configurationSchema } from "../../emulator/config/schema.ts";
import { scenarioSchema } from "../../scenarios/schema.ts";
import { PAGES, ROOT, readPage } from "./markdown.ts";

const FOLDER = join(ROOT, "docs/look-up");

describe("the pages to look up", () => {
  it.each(Object.entries(LOOK_UP))(
    "%s is as the tables are; `npm run docs` writes it",
    async (name, write) => {
      const text = await write();
      await expect(text, "The page is stale: `npm run docs` writes it again").toMatchFileSnapshot(
        join(FOLDER, name),
      );
    },
  );

  it("are all written by `npm run docs`", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(LOOK_UP).sort());
  });
});

it("the schema of scenario files is published as the parser has it; `npm run docs` writes it", async () => {
  const text = `${JSON.stringify(scenarioSchema(configurationSchema()), null, 2)}\n`;
  await expect(text, "The schema is stale: `npm run docs` writes it again").toMatchFileSnapshot(
    join(ROOT, "scenarios/scenario.schema.json"),
  );
});

it("the manual page lists the commands as they are; `npm run docs` writes it", async () => {
  await expect(await manualPage()).toMatchFileSnapshot(join(ROOT, "docs/emulator.1"));
});

it("the pages count the scenarios right", () => {
  const text = PAGES.map(readPage).join("\n");
  const scenarios = readdirSync(join(ROOT, "scenarios/shipped")).filter((name) =>
    name.endsWith(".scenario.yaml"),
  );
  const counted = new Set([...text.matchAll(/\b(\d+)\s+scenarios\b/g)].map(([, count]) => Number(count)));
  expect(counted).toEqual(new Set([scenarios.length]));
});
