import { describe, expect, it } from "vitest";
import { FAULT_POINTS, FAULT_PRESETS, FAULT_TARGETS } from "../../../contracts/spec/faults.ts";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { expectRefusals, openVerbs } from "../../support/verbs.ts";

describe("emulator fault", () => {
  it("arms presets and rules, lists and removes them", async () => {
    const verbs = await openVerbs();
    const arm = (...words: string[]) => verbs.json<{ id: string }>("fault", "arm", ...words);
    const preset = await arm("worker_crash", "--match", "nth=2", "--times", "3", "--ttl", "1h");
    expect(preset).toMatchObject({
      preset: "worker_crash",
      match: { at: "file.written", nth: 2 },
      times: 3,
      ttl: "1h",
    });
    expect(
      await arm("s3", "--match", "op=PutObject,UploadPart", "--then", "s3_error=SlowDown"),
    ).toMatchObject({
      match: { op: ["PutObject", "UploadPart"] },
      then: { s3_error: "SlowDown" },
    });
    expect(await arm("worker", "--match", "run=*", "--then", "stall=4h1s")).toMatchObject({
      then: { stall: "4h1s" },
    });
    expect(
      await arm(
        "http",
        "--match",
        "op=getBulkExport",
        "--then",
        "status=503",
        "--then",
        'body={"detail":"no"}',
      ),
    ).toMatchObject({ then: { status: 503, body: { detail: "no" } } });
    expect(await arm('{"target":"webhook","then":{"drop":true}}')).toMatchObject({ target: "webhook" });
    expect(await verbs.lines("fault", "list")).toHaveLength(5);
    expect(await verbs.lines("fault", "rm", preset.id)).toEqual([`${preset.id} is removed`]);
    expect(await verbs.lines("fault", "rm", "--all")).toEqual(["4 removed"]);
  });

  it("lists without an emulator the available faults", async () => {
    const cwd = workingFolder();
    const tables = { presets: FAULT_PRESETS, points: FAULT_POINTS, targets: FAULT_TARGETS };
    for (const [action, table] of Object.entries(tables)) {
      const { code, stdout } = await run(["fault", action], { cwd });
      expect(code).toBe(0);
      for (const name of Object.keys(table)) expect(stdout).toMatch(new RegExp(`^${name} `, "m"));
    }
  });

  it("refuses invalid values, and changes nothing", async () => {
    await expectRefusals(await openVerbs(), [
      ["fault arm worker_crsh", 'fault arm: "worker_crsh" is unknown; did you mean worker_crash?'],
      ["fault arm worker", "--then is missing; give one of crash, stall, error, delete_destination"],
      ["fault arm worker --then crsh", '--then: "crsh" is unknown; did you mean crash?'],
      ["fault arm worker --match op=x --then crash", '--match: "op" is unknown'],
      ["fault arm worker --match run --then crash", "--match run: the value is missing"],
      ["fault arm worker --then stall=long", '--then stall: "long" is not valid; give a duration'],
      ["fault arm worker --match at=nowhere --then crash", "--match at: "],
      [
        "fault arm http --match op=PutObject --then status=503",
        "--match op: PutObject is an operation of the object store, not of the API. Arm the fault with the target s3 instead.",
      ],
      ["fault arm http --match op=getBulkExprt --then status=503", "Did you mean getBulkExport? Known: "],
      ["fault arm http --match op=getBulkExport --then status=many", "--then status: "],
      [
        "fault arm worker_crash --then crash",
        "--then: the preset worker_crash already contains it; leave it out",
      ],
      ['fault arm {"target":', "fault arm: the rule is not valid JSON"],
      ["fault arm {} --times 2", "--times: it cannot be combined with a JSON rule"],
      ["fault arm {}", "target: "],
      ["fault rm x --all", "fault rm: give either the id of a fault or --all"],
    ]);
  });
});
