import { HEAD, SECTION_NAMES, VERBS } from "../../scenarios/definition.ts";
import { MATCHER_NAMES, WORD_NAMES } from "../../scenarios/matching.ts";
import { code, codes, membersOf, page, plain, table } from "./markdown.ts";

const MATCHERS: Readonly<Record<string, string>> = {
  $any: "Any value that is there.",
  $absent: "Nothing is there.",
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
  $every: "A list of which each item is so.",
  $unordered: "A list with these items in any order.",
  $unique: "A list without repetitions, of this member where one is named.",
  $oneOf: "One of these.",
  $not: "Anything but this.",
};

/** The format of scenario files. */
export function scenariosPage(): string {
  return page(
    "Scenario files",
    "`emulator replay --schema` prints the JSON Schema, for editors. [Scenarios](../understand/scenarios.md) explains how they are played.",
    "## Head",
    table(["Member", "Is"], Object.entries(HEAD).map(headRow)),
    `Then the steps, in the lists ${codes(SECTION_NAMES)}, played in this order; each takes every verb.`,
    "## Verbs",
    table(
      ["Verb", "Does", "Members beside it"],
      Object.entries(VERBS).map(([name, schema]) => [
        code(name),
        plain(String(schema.description)),
        codes(membersOf(schema).filter((member) => member !== name)),
      ]),
    ),
    "## Matchers",
    "Each stands for a value in an `expect`. Objects compare the members that are named, by name or by path (`runs.0.id`, `*.status`).",
    table(["Matcher", "Fits"], [...WORD_NAMES.map(wordRow), ...MATCHER_NAMES.map(matcherRow)]),
  );
}

function headRow([name, field]: readonly [string, object]) {
  const { description } = ("optional" in field ? field.optional : field) as { readonly description?: string };
  return [
    code("optional" in field ? `${name}?` : name),
    description === undefined ? "Values by name, which steps name as `${…}`." : plain(description),
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
  if (meaning === undefined) throw new Error(`${name} has no meaning in bin/docs/scenarios.ts`);
  return meaning;
}
