import { HEAD, SECTION_NAMES, VERBS } from "../../scenarios/definition.ts";
import { MATCHER_NAMES, WORD_NAMES } from "../../scenarios/matching.ts";
import { code, codes, membersOf, page, plain, table } from "./markdown.ts";

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
  $unique: "A list without duplicates, optionally compared by this member.",
  $oneOf: "One of these.",
  $not: "Any other value.",
};

/** The format of scenario files. */
export function scenariosPage(): string {
  return page(
    "Scenario files",
    "`emulator replay --schema` prints the JSON Schema, for editors. [Scenarios](../understand/scenarios.md) explains how they are replayed.",
    "## Head",
    table(["Member", "Meaning"], Object.entries(HEAD).map(headRow)),
    `The steps follow in the lists ${codes(SECTION_NAMES)}, which run in this order. Each list takes every verb.`,
    "## Verbs",
    table(
      ["Verb", "Description", "Further members"],
      Object.entries(VERBS).map(([name, schema]) => [
        code(name),
        plain(String(schema.description)),
        codes(membersOf(schema).filter((member) => member !== name)),
      ]),
    ),
    "## Matchers",
    "A matcher stands for a value in an `expect`. Objects compare only the listed members, by name or by path (`runs.0.id`, `*.status`).",
    table(["Matcher", "Matches"], [...WORD_NAMES.map(wordRow), ...MATCHER_NAMES.map(matcherRow)]),
  );
}

function headRow([name, field]: readonly [string, object]) {
  const { description } = ("optional" in field ? field.optional : field) as { readonly description?: string };
  return [
    code("optional" in field ? `${name}?` : name),
    description === undefined ? "Values by name, which steps insert as `${…}`." : plain(description),
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
