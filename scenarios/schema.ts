import { publishedSchema } from "../emulator/validation/published-schema.ts";
import { HEAD, PART, SCENARIO, VERBS } from "./definition.ts";

const ID = "https://trace-platform-emulator.invalid/scenario.schema.json";

type Schema = Readonly<Record<string, unknown>>;

/** The JSON Schema of scenario files, from the definition that the parser uses; with that of the settings for editors. */
export function scenarioSchema(settings?: Schema): Schema {
  const verbs = Object.keys(VERBS);
  const properties = {
    ...(SCENARIO.properties as Schema),
    ...(settings && { settings: { $ref: "#/$defs/settings" } }),
  };
  return publishedSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: ID,
    title: "A scenario of the Trace Platform emulator",
    anyOf: [{ $ref: "#/$defs/scenario" }, { $ref: "#/$defs/part" }],
    $defs: {
      scenario: {
        title: "a scenario in YAML; see `emulator replay --schema`",
        ...SCENARIO,
        properties,
        required: [...requiredHead()],
      },
      part: { title: "an object with the list `steps`", ...PART },
      step: { type: "object", oneOf: verbs.map((verb) => ({ $ref: `#/$defs/${verb}` })) },
      ...VERBS,
      ...(settings && { settings: { ...settings, $schema: undefined } }),
    },
  });
}

function requiredHead(): readonly string[] {
  return Object.entries(HEAD).flatMap(([name, field]) => ("optional" in field ? [] : [name]));
}
