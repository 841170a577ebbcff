import { agentRun } from "../../spec/agent/resources.ts";
import { thread } from "../../spec/agent/thread-resources.ts";
import type { AssumptionId } from "../../spec/assumptions.ts";
import type { Field } from "../../spec/fields.ts";
import { REQUIREMENTS, type RequirementId } from "../../spec/requirements.ts";
import { bulkExport, bulkExportRun, destination } from "../../spec/resources.ts";

/** Resources that the specification shows; what is marked `x-beyond` of them it does not. */
const SHOWN_RESOURCES: ReadonlySet<unknown> = new Set([
  destination,
  bulkExport,
  bulkExportRun,
  agentRun,
  thread,
]);

/** What the tables say about a place in a body. */
export interface SchemaLocation {
  readonly requirement: RequirementId | undefined;
  readonly assumption: AssumptionId | undefined;
  readonly values: readonly unknown[] | undefined;
  /** It may be null. */
  readonly nullable: boolean;
  /** Whether the specification itself shows that it is there; undefined outside of the resources that it shows. */
  readonly shown: boolean | undefined;
}

/** Follows a path such as `["0", "status"]` into a schema of the tables. */
export function locationIn(schema: Field<unknown>, path: readonly string[]): SchemaLocation {
  let current = schema as Schema;
  let isShown = SHOWN_RESOURCES.has(current) ? true : undefined;
  let location: SchemaLocation = { ...annotationsOf(current), shown: isShown };
  for (const step of path) {
    const inner = current.items ?? current.properties?.[step] ?? current.additionalProperties;
    if (typeof inner !== "object") return { ...location, shown: isShown };
    if (current.properties && SHOWN_RESOURCES.has(current)) isShown = true;
    current = inner;
    if (current["x-beyond"]) isShown = false;
    const doc = annotationsOf(current);
    const requirement = doc.requirement ?? location.requirement;
    location = { ...doc, requirement, shown: isShown };
  }
  return location;
}

interface Schema extends Field<unknown> {
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

function annotationsOf(schema: Schema): Omit<SchemaLocation, "shown"> {
  const id = schema["x-requirement"] as RequirementId | undefined;
  return {
    requirement: id !== undefined && id in REQUIREMENTS ? id : undefined,
    assumption: schema["x-assumption"] as AssumptionId | undefined,
    values: schema.enum as readonly unknown[] | undefined,
    nullable: Array.isArray(schema.type) && schema.type.includes("null"),
  };
}
