import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { configurationSchema } from "../../emulator/config/schema.ts";
import { readScenario } from "../../scenarios/document.ts";
import { scenarioSchema } from "../../scenarios/schema.ts";
import { workingFolder } from "../support/emulator-process.ts";

const SCENARIOS = fileURLToPath(new URL("../../scenarios", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = workingFolder();
});

function written(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function problemOf(text: string): string {
  const file = written("x.scenario.yaml", text);
  try {
    readScenario(file);
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, "");
  }
  return "no problem";
}

describe("the schema of scenario files", () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
    scenarioSchema(configurationSchema()),
  );

  it("accepts every shipped file", () => {
    const files = readdirSync(SCENARIOS, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".yaml"),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const value = parse(readFileSync(join(SCENARIOS, file), "utf8"), { merge: true });
      expect(validate(value), `${file}: ${JSON.stringify(validate.errors?.slice(0, 3))}`).toBe(true);
    }
  });

  it("refuses what the parser refuses", () => {
    expect(validate({ scenario: "A", when: [{ request: "GET /ok", expekt: {} }] })).toBe(false);
    expect(validate({ when: [{ request: "GET /ok" }] })).toBe(false);
  });
});

describe("a problem is reported with its line", () => {
  const head = "scenario: A sentence.\n";

  it.each([
    [
      "an unknown verb",
      `${head}when:\n  - request: GET /ok\n  - reqest: GET /ok\n`,
      "x.scenario.yaml:4: when[1]: not a known step; did you mean request?",
    ],
    [
      "two steps",
      `${head}when:\n  - request: GET /ok\n    control: GET /clock\n`,
      "x.scenario.yaml:3: when[0]: request and control are two steps; write them one after the other",
    ],
    [
      "an unknown member",
      `${head}when:\n  - request: GET /ok\n    bodi: {}\n`,
      "x.scenario.yaml:4: when[0].bodi: is not a known field; did you mean body?",
    ],
    [
      "an unknown head",
      `${head}sed: 3\nwhen:\n  - request: GET /ok\n`,
      "x.scenario.yaml:2: sed: is not a known field; did you mean seed?",
    ],
    [
      "no sentence",
      "when:\n  - request: GET /ok\n",
      "x.scenario.yaml:1: scenario: is required; give a sentence about the scenario, such as `scenario: an export of one day has one run`",
    ],
    ["no steps", head, "x.scenario.yaml:1: no steps; add given, when or then"],
    [
      "a request without a method",
      `${head}when:\n  - request: /ok\n`,
      "x.scenario.yaml:3: when[0].request: must be a method and a path, such as GET /ok",
    ],
    [
      "too many rounds",
      `${head}when:\n  - repeat: 10001\n    steps: []\n`,
      "x.scenario.yaml:3: when[0].repeat: must be <= 10000",
    ],
    [
      "a step in a repetition",
      `${head}when:\n  - repeat: 2\n    steps:\n      - advance: PT1S\n      - wait: 3\n`,
      "x.scenario.yaml:6: when[0][1]: not a known step; give one of seed, request, control, advance, fault, expect, repeat, include",
    ],
    [
      "a missing file",
      `${head}when:\n  - include: gone.yaml\n`,
      "x.scenario.yaml:3: when[0]: gone.yaml: no such file; check the path",
    ],
    [
      "a file that includes itself",
      `${head}when:\n  - include: x.scenario.yaml\n`,
      "x.scenario.yaml:3: when[0]: x.scenario.yaml includes itself",
    ],
    ["broken YAML", `${head}when: [\n`, "x.scenario.yaml:3:"],
    ...[
      ["a variable in an object", "  - request: { a: ${id} }"],
      ["a variable in a list", "  - request: GET /ok\n    expect: { body: { ids: [${id}] } }"],
      [
        "a path in an object",
        "  - fault: { target: http, match: { op: GET /threads/{id} }, then: { delay: PT1S } }",
      ],
      ["a text that begins with a brace", "  - request: {id} and more"],
      ["a text in two braces", "  - request: GET /ok\n    body: { a: {{id}} }"],
    ].map(([what = "", steps = ""]) => [
      `${what} without quotes`,
      `${head}when:\n${steps}\n`,
      `x.scenario.yaml:${2 + steps.split("\n").length}: put texts with { } in quotes, such as "\${id}"`,
    ]),
    [
      "a comma that is missing",
      `${head}when:\n  - request: { a: "\${id}" b: 1 }\n`,
      "x.scenario.yaml:3: not valid YAML (Unexpected scalar",
    ],
    [
      "a time in place of a state",
      `${head}when:\n  - advance: { until: tomorrow }\n`,
      'x.scenario.yaml:3: when[0].advance.until: "tomorrow" is not valid; write a date, a time, or an export id',
    ],
    [
      "a name that stands twice",
      `${head}seed: 1\nseed: 2\n`,
      "x.scenario.yaml:3: not valid YAML (Map keys must be unique",
    ],
    [
      "a time that is none",
      `${head}now: yesterday\nwhen:\n  - advance: PT1S\n`,
      "x.scenario.yaml:2: now: must be an ISO 8601 time with a zone",
    ],
    [
      "a value that nests too deep",
      `${head}when: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`,
      "nests too deep",
    ],
    [
      "an alias in its own value",
      `${head}when:\n  - request: POST /threads\n    body: &body\n      metadata: { a: *body }\n`,
      "x.scenario.yaml:5: the alias is part of its own value",
    ],
    [
      "aliases that stand in each other's values",
      `${head}when:\n  - request: POST /threads\n    body: { a: &a { b: &b { c: *a } }, d: *b }\n`,
      "x.scenario.yaml:4: the alias is part of its own value",
    ],
  ])("%s", (_, text, problem) => {
    expect(problemOf(text)).toContain(problem);
  });

  it("files that include ever more of one another", () => {
    const includes = (next: number) => `  - include: p${next}.yaml\n`.repeat(10);
    for (let part = 0; part < 8; part += 1)
      written(`p${part}.yaml`, `steps:\n${part < 7 ? includes(part + 1) : "  - advance: PT1S\n"}`);
    expect(problemOf(`${head}when:\n${includes(0)}`)).toContain("more than 1000 files are included");
  });

  it.each([
    ["{ body: { a: $uid } }", "expect.body.a: $uid is not a matcher; did you mean $uuid?"],
    [
      "{ body: { a: { $not: { $lenght: 1 } } } }",
      "expect.body.a.$not: $lenght is not a matcher; did you mean $length?",
    ],
    ["{ body: { a: [{ $regex: '(' }] } }", "expect.body.a[0].$regex: $regex takes a regular expression"],
    ["{ body: { a: { $regex: '(?=a)b' } } }", "$regex takes a regular expression without lookarounds"],
    ["{ body: { a: { $regex: '(a)\\1' } } }", "$regex takes a regular expression without lookarounds"],
    ["{ body: { a: { $oneOf: b } } }", "expect.body.a.$oneOf: $oneOf takes a list"],
    ["{ status: { $within: [200] } }", "expect.status.$within: $within takes [least, most]"],
    ["{ body: { a: { $within: { of: now, by: PT1S } } } }", "$within takes [least, most]"],
    ['{ body: { a: { $within: { of: "2026-01-01T00:00:00Z", by: 1 s } } } }', "$within takes [least, most]"],
    ["{ body: { a: { $regex: x, $not: y } } }", "expect.body.a: $regex must be the only member here"],
  ])("an expectation that could not be meant: %s", (expectation, problem) => {
    const text = `${head}when:\n  - request: GET /ok\n    expect: ${expectation}\n`;
    const report = problemOf(text);
    expect(report).toContain("x.scenario.yaml:4: when[0].expect");
    expect(report).toContain(problem);
  });

  it.each([
    ["{}", "when[0].expect: it expects nothing"],
    ["{ journal: {} }", "when[0].expect.journal: it expects nothing"],
    ["{ variables: { a: { b: {} } } }", "when[0].expect.variables.a.b: it expects nothing"],
    ["{ verify: { export: x } }", "when[0].expect.verify: export only selects"],
    ["{ journal: { where: { a: 1 } } }", "when[0].expect.journal: where only selects"],
    [
      "{ deliveries: { where: { run_statsu: error }, count: 0 } }",
      "when[0].expect.deliveries.where: a delivery has no member run_statsu; did you mean run_status?",
    ],
    [
      "{ journal: { where: { caus.name: clock.advance }, count: 0 } }",
      "when[0].expect.journal.where: a turn of the journal has no member caus; did you mean cause?",
    ],
  ])("a look that sees nothing wrong in anything: %s", (expectation, problem) => {
    expect(problemOf(`${head}when:\n  - expect: ${expectation}\n`)).toContain(problem);
  });

  it.each(["{}", "{ body: {} }", "{ headers: {} }", "{ body: { runs: [{ inputs: {} }] } }"])(
    "an expectation that any reply meets: %s",
    (expectation) => {
      const text = `${head}when:\n  - request: GET /ok\n    expect: ${expectation}\n`;
      expect(problemOf(text)).toMatch(/x\.scenario\.yaml:4: when\[0\]\.expect[^ ]*: it expects nothing/);
    },
  );

  it.each([
    "{ a: '$5.00', b: { $within: ['${x}', '${y}'] }, c: { $within: { of: '${x}', by: PT1S } } }",
    "{ a: { $oneOf: '${list}' }, b: { '${name}': 1 }, c: { $regex: '^\\$uid$' }, d: { $unique: id } }",
    "{ a: { $within: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'] }, b: { $not: $absent } }",
  ])("and none where there is none: %s", (body) => {
    const text = `${head}when:\n  - request: GET /ok\n    expect: { body: ${body} }\n`;
    expect(problemOf(text)).toBe("no problem");
  });

  it("all of a file's steps at once, those of a repetition too", () => {
    const steps =
      "  - advance: PT1S\n    wait: 1\n  - repeat: 2\n    steps:\n      - wait: 1\n      - pause: 2\n";
    const lines = problemOf(`${head}when:\n${steps}`).split("\n");
    expect(lines.map((line) => line.split(":")[1])).toEqual(["4", "7", "8"]);
  });

  it("all of a file at once", () => {
    const text = `${head}seeds: 3\nnew: 4\nwhen:\n  - advance: PT1S\n`;
    expect(problemOf(text).split("\n")).toHaveLength(2);
  });

  it("bounds what aliases can blow up", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [index, name] of ["b", "c", "d", "e", "f"].entries())
      lines.push(`${name}: &${name} [${Array(10).fill(`*${"abcde"[index]}`).join(", ")}]`);
    expect(problemOf(`${lines.join("\n")}\n`)).toMatch(
      /x\.scenario\.yaml:1: its aliases make too many values/,
    );
  });
});

it("a scenario has the position of each step, also in included files", () => {
  written("part.yaml", "steps:\n  - advance: PT1S\n\n  - advance: PT2S\n");
  const file = written(
    "y.scenario.yaml",
    "scenario: Two files.\ngiven:\n  - include: part.yaml\nthen:\n  - request: GET /ok\n",
  );
  const { steps, name } = readScenario(file);
  expect(name).toBe("y");
  expect(
    steps.flatMap((step) => [step, ...step.steps]).map(({ label, place }) => `${label}:${place.line}`),
  ).toEqual(["given[0]:3", "given[0].part.yaml[0]:2", "given[0].part.yaml[1]:4", "then[0]:5"]);
});

describe("times and durations", () => {
  it.each([
    ["advance: 6", "when[0]", "advance: "],
    ["advance: { by: soon }", "by", '"soon" is not a duration; write one such as 6h, 1d12h or PT6H'],
    ["advance: { to: 2026-03-01 }", "to", "must be an ISO 8601 time with a zone"],
    ["fault: { preset: worker_crash, ttl: 1H }", "ttl", '"1H" is not a duration; write one such as'],
    ["fault: { target: worker, then: { stall: long } }", "stall", '"long" is not a duration'],
    ["seed: { traces: { count: 1, from: today } }", "from", '"today" must be an ISO 8601 time with a zone'],
  ])("that cannot be read are refused when the file is read: %s", (step, member, reason) => {
    const problem = problemOf(`scenario: A\nwhen:\n  - ${step}\n`);
    expect(problem).toMatch(/^x\.scenario\.yaml:3: /);
    expect(problem).toContain(member.replace("when[0]", "advance"));
    expect(problem).toContain(reason);
  });

  it("with variables are read when they are played", () => {
    expect(problemOf('scenario: A\nwhen:\n  - advance: "PT${n}H"\n')).toBe("no problem");
  });
});

describe("a fault", () => {
  it.each([
    ["{ preset: worker_crsh }", /preset: must be one of .*worker_crash/],
    [
      "{ target: worker, match: { at: nowhere }, then: { crash: true } }",
      /at: must be one of .*file\.written/,
    ],
    ["{ target: worker, then: { crsh: true } }", /crsh/],
    ["{ preset: worker_crash, optional: perhaps }", /optional: must be true or false/],
    [
      "{ target: s3, match: { op: PUTT }, then: { reset: true } }",
      /^x\.scenario\.yaml:3: when\[0\]\.fault\.match\.op: "PUTT" is unknown\. .*PutObject/,
    ],
    [
      "{ target: s3, match: { op: [PutObject, GetObjekt] }, then: { reset: true } }",
      /fault\.match\.op: \[1\]: "GetObjekt" is unknown\. Did you mean GetObject\?/,
    ],
    [
      "{ target: http, match: { op: getBulkExprot }, then: { delay: PT1S } }",
      /match\.op: .*did you mean getBulkExport\?/i,
    ],
    [
      "{ preset: worker_crash, match: { op: PutObject } }",
      /match\.op: is not valid for this target; use one of export_id, run, at, attempt, nth/,
    ],
    [
      "{ target: s3, match: { op: PutObject }, then: { s3_error: NoSuchBuket } }",
      /then\.s3_error: "NoSuchBuket" is unknown\. Did you mean NoSuchBucket\?/,
    ],
  ])("that the language does not know is refused when the file is read: %s", (fault, reason) => {
    expect(problemOf(`scenario: A\nwhen:\n  - fault: ${fault}\n`)).toMatch(reason);
  });

  it("may take its words from variables", () => {
    for (const fault of [
      '{ preset: "${fault}" }',
      '{ target: "${target}", match: { op: x } }',
      '{ target: s3, match: { op: ["Put*", "${op}"] }, then: { s3_error: "${error}" } }',
    ])
      expect(problemOf(`scenario: A\nwhen:\n  - fault: ${fault}\n`)).toBe("no problem");
  });
});

it("the schema lists presets, points, operations and settings for editors", () => {
  const text = readFileSync(join(SCENARIOS, "scenario.schema.json"), "utf8");
  for (const name of ["worker_crash", "file.written", "getBulkExport", "workflow_timeout", "run.started"])
    expect(text).toContain(`"${name}"`);
});
