import { readFileSync } from "node:fs";
import * as BOUNDS from "../../scenarios/bounds.ts";
import { HEAD, SECTION_NAMES, VERBS } from "../../scenarios/definition.ts";
import { MATCHER_NAMES, WORD_NAMES } from "../../scenarios/matching.ts";
import { code, codes, page, plain, table } from "./markdown.ts";
import { type Member, scenarioMembers } from "./scenario-members.ts";

const MATCHERS: Readonly<Record<string, string>> = {
  $any: "Any value.",
  $absent: "The member does not exist.",
  $uuid: "A UUID in lower case.",
  $time: "An ISO 8601 time.",
  $text: "A text.",
  $number: "A number.",
  $object: "An object.",
  $list: "A list.",
  $regex: "A text that this pattern matches: RE2, without lookarounds and back-references.",
  $within: "Between two numbers or times (`[1, 3]`), or near a time (`{ of: <time>, by: PT1S }`).",
  $length: "A list or text of this length.",
  $contains: "A list with such an item.",
  $every: "A list in which every item matches.",
  $unordered: "A list with these items in any order.",
  $unique: "A list without duplicates: `.` compares the items, a name compares that member.",
  $oneOf: "One of these.",
  $not: "Any other value.",
};

const count = (value: number) => value.toLocaleString("en");

const LIMITS: readonly (readonly [string, string])[] = [
  ["Bytes of a file", count(BOUNDS.MAX_FILE_BYTES)],
  ["Steps of a list", count(BOUNDS.MAX_STEPS)],
  ["Rounds of a repetition", count(BOUNDS.MAX_ROUNDS)],
  ["Steps played in a scenario, repetitions included", count(BOUNDS.MAX_PLAYED_STEPS)],
  ["Files that a scenario includes, each as often as it is included", count(BOUNDS.MAX_INCLUDED_FILES)],
  ["Depth of files that include one another", count(BOUNDS.MAX_INCLUDE_DEPTH)],
];

/** The format of scenario files. */
export function scenariosPage(): string {
  return page(
    "Scenario files",
    "Each verb has an example with all its members; `name?` is an optional member. `emulator replay --schema` prints the JSON Schema, for editors. [Scenarios](../understand/scenarios.md) explains how they are replayed.",
    "## Head",
    table(["Member", "Meaning"], Object.entries(HEAD).map(headRow)),
    `The steps follow in the lists ${codes(SECTION_NAMES)}, which run in this order. Each list takes every verb.`,
    example("head"),
    ...Object.entries(VERBS).flatMap(([name, schema]) => [
      `## ${name}`,
      plain(String(schema.description)),
      table(["Member", "Meaning"], [...scenarioMembers(name, schema)].map(memberRow)),
      example(name),
    ]),
    "## Matchers",
    "A matcher stands for a value in an `expect`. Objects compare only the listed members, by name or by path: `runs.0.id`, `runs.length` (of a list: the number of items), `*.status` (the list of this member of all items). A list must have exactly the listed items, in this order.",
    table(["Matcher", "Matches"], [...WORD_NAMES.map(wordRow), ...MATCHER_NAMES.map(matcherRow)]),
    "## Limits",
    "The format of the files has these limits. They are not settings.",
    table(["What", "At most"], LIMITS),
  );
}

/** The files that an example reads, by its name. */
const FILES_READ: Readonly<Record<string, readonly string[]>> = {
  seed: ["rows.json"],
  include: ["thread.yaml"],
};

/** A scenario that shows each member of a verb, and the files that it reads; `test/scenarios/reference.test.ts` plays it. */
function example(name: string): string {
  return [`${name}.scenario.yaml`, ...(FILES_READ[name] ?? [])].map(fileBlock).join("\n\n");
}

function fileBlock(file: string): string {
  const text = readFileSync(new URL(`../../scenarios/reference/${file}`, import.meta.url), "utf8");
  const [language, comment] = file.endsWith(".json") ? ["jsonc", "//"] : ["yaml", "#"];
  return [
    `\`\`\`${language} no-run: test/scenarios/reference.test.ts plays it`,
    `${comment} ${file}`,
    text.trimEnd(),
    "```",
  ].join("\n");
}

function memberRow([path, { text, isOptional }]: readonly [string, Member]) {
  if (text === undefined) throw new Error(`${path} has no description in scenarios/definition.ts`);
  return [code(isOptional ? `${path}?` : path), plain(text)];
}

function headRow([name, field]: readonly [string, object]) {
  const { description } = ("optional" in field ? field.optional : field) as { readonly description?: string };
  return [
    code("optional" in field ? `${name}?` : name),
    plain(description ?? "A sentence about the scenario."),
  ];
}

function wordRow(name: string) {
  return [code(name), meaningOf(name)];
}

function matcherRow(name: string) {
  return [code(`{ ${name}: … }`), meaningOf(name)];
}

function meaningOf(name: string): string {
  const meaning = MATCHERS[name];
  if (meaning === undefined) throw new Error(`${name} has no meaning in build/docs/scenarios.ts`);
  return meaning;
}
