import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { scenarioMembers } from "../../build/docs/scenario-members.ts";
import { HEAD, VERBS } from "../../scenarios/definition.ts";
import { run } from "../support/command-line.ts";

const FOLDER = fileURLToPath(new URL("../../scenarios/reference", import.meta.url));

type Step = Readonly<Record<string, unknown>>;

const contentOf = (name: string) => parse(readFileSync(join(FOLDER, `${name}.scenario.yaml`), "utf8"));

/** The paths of all members in a value; lists are passed through. */
function pathsIn(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const memberPath = path === "" ? name : `${path}.${name}`;
    return [memberPath, ...pathsIn(member, memberPath)];
  });
}

describe("the reference of scenario files", () => {
  it.each(Object.entries(VERBS))("has an example for each member of %s", (verb, schema) => {
    const { given = [], when = [], then = [] } = contentOf(verb) as Record<string, readonly Step[]>;
    const steps = [...given, ...when, ...then].filter((step) => Object.hasOwn(step, verb));
    const paths = pathsIn(steps);
    const members = [...scenarioMembers(verb, schema).keys()];
    expect(members).toContain("note");
    expect(members.filter((member) => !paths.includes(member))).toEqual([]);
  });

  it("has an example for each member of the head, and one file for each example", () => {
    expect(Object.keys(contentOf("head"))).toEqual(
      expect.arrayContaining([...Object.keys(HEAD), "given", "when", "then"]),
    );
    const names = readdirSync(FOLDER).filter((file) => file.endsWith(".scenario.yaml"));
    expect(names.sort()).toEqual(
      ["head", ...Object.keys(VERBS)].map((name) => `${name}.scenario.yaml`).sort(),
    );
  });

  it("has examples that can be played", async () => {
    const count = Object.keys(VERBS).length + 1;
    const { code, stdout } = await run(["replay", FOLDER], { cwd: FOLDER });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${count} scenarios: ${count} passed`)]);
  });
});
