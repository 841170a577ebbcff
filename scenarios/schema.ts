import { HEAD, PART, SCENARIO, VERBS } from "./definition.ts";

const ID = "https://trace-platform-emulator.invalid/scenario.schema.json";

/** The JSON Schema of scenario files, from the definition that the parser uses. */
export function scenarioSchema(): Readonly<Record<string, unknown>> {
  const verbs = Object.keys(VERBS);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: ID,
    title: "A scenario of the Trace Platform emulator",
    anyOf: [{ $ref: "#/$defs/scenario" }, { $ref: "#/$defs/part" }],
    $defs: {
      scenario: { ...SCENARIO, required: [...requiredHead()] },
      part: PART,
      step: { type: "object", oneOf: verbs.map((verb) => ({ $ref: `#/$defs/${verb}` })) },
      ...VERBS,
    },
  };
}

function requiredHead(): readonly string[] {
  return Object.entries(HEAD).flatMap(([name, field]) => ("optional" in field ? [] : [name]));
}
