import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openInProcess } from "../../bin/replay/in-process.ts";
import { readScenario } from "../../scenarios/document.ts";
import { compareGolden } from "../../scenarios/golden.ts";
import { type Outcome, replay } from "../../scenarios/replay.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SHIPPED = join(ROOT, "scenarios/shipped");
const NAMES = readdirSync(SHIPPED).flatMap((name) => /^(.+)\.scenario\.yaml$/.exec(name)?.[1] ?? []);

const scenarioOf = (name: string) => join(SHIPPED, `${name}.scenario.yaml`);
const goldenOf = (name: string) => join(SHIPPED, `${name}.journal.ndjson`);

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "golden-"));
  mkdirSync(join(copy, "scenarios/shipped"), { recursive: true });
  cpSync(join(ROOT, "scenarios/parts"), join(copy, "scenarios/parts"), { recursive: true });
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe("the journals of the shipped scenarios", () => {
  it("are there for each, and for nothing else", () => {
    const names = readdirSync(SHIPPED).filter((name) => name.endsWith(".journal.ndjson"));
    expect(names).toEqual(NAMES.map((name) => `${name}.journal.ndjson`));
  });

  it.each(NAMES)("%s drifts with one byte", (name) => {
    const journal = readFileSync(goldenOf(name), "utf8");
    const lines = journal.trimEnd().split("\n");
    expect(compareGolden(scenarioOf(name), journal, false)).toEqual({ kind: "same" });
    // The last turn's number, which stands in the last line only.
    const changed = journal.replace(`{"turn":${lines.length},`, `{"turn":${lines.length + 1},`);
    expect(compareGolden(scenarioOf(name), changed, false)).toMatchObject({
      kind: "drifted",
      file: goldenOf(name),
      line: lines.length,
    });
    const longer = journal.replace('{"turn":1,', '{"turn":1,"more":true,');
    expect(compareGolden(scenarioOf(name), longer, false)).toMatchObject({
      line: 1,
      differences: [expect.stringContaining('extra or different bytes: {"turn":1,"more":true,')],
    });
  });
});

describe("a journal that is compared", () => {
  const NAME = "running-is-no-filter";
  const file = () => join(copy, "scenarios/shipped", `${NAME}.scenario.yaml`);
  const golden = () => join(copy, "scenarios/shipped", `${NAME}.journal.ndjson`);

  async function played(more: { seed?: number; update?: boolean } = {}): Promise<Outcome | undefined> {
    const environments = openInProcess();
    try {
      const [outcome] = await replay([readScenario(file())], { cwd: copy, jobs: 1, environments, ...more });
      return outcome;
    } finally {
      await environments.close();
    }
  }

  it("belongs to the scenario's own seed: with another seed it is neither compared nor written", async () => {
    cpSync(scenarioOf(NAME), file());
    cpSync(goldenOf(NAME), golden());
    expect(await played()).toMatchObject({ verdict: "passed", drift: { kind: "same" } });
    expect(await played({ seed: 2 })).toMatchObject({ verdict: "passed", drift: { kind: "none" } });
    writeFileSync(golden(), readFileSync(golden(), "utf8").replace("createThread", "createThraed"));
    expect(await played()).toMatchObject({ verdict: "drifted" });
    writeFileSync(golden(), `<<<<<<< ours\n${readFileSync(golden(), "utf8")}`);
    expect(await played()).toMatchObject({ verdict: "drifted", drift: { line: 1 } });
    rmSync(golden());
    expect(await played({ seed: 2, update: true })).toMatchObject({ drift: { kind: "none" } });
    expect(existsSync(golden())).toBe(false);
  });
});
