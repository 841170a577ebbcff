import { agentRun, thread } from "../../spec/agent/resources.ts";
import type { AssumptionId } from "../../spec/assumptions.ts";
import type { Field } from "../../spec/fields.ts";
import { REQUIREMENTS, type RequirementId } from "../../spec/requirements.ts";
import { bulkExport, bulkExportRun, destination } from "../../spec/resources.ts";

/** Members of replies that the specification shows; the absence of any other one is a difference of choice. */
const SHOWN_MEMBERS = new Map<unknown, readonly string[]>([
  [destination, ["id"]],
  [bulkExport, ["id", "status", "created_at", "source_bulk_export_id"]],
  [bulkExportRun, ["id", "status", "created_at", "rows_exported", "errors", "metadata"]],
  [agentRun, membersOf(agentRun)],
  [thread, membersOf(thread)],
]);

/** What the tables say about a place in a body. */
export interface SchemaLocation {
  readonly requirement: RequirementId | undefined;
  readonly assumption: AssumptionId | undefined;
  readonly values: readonly unknown[] | undefined;
  /** Whether the specification itself shows that it is there; undefined outside of the resources that it shows. */
  readonly shown: boolean | undefined;
}

/** Follows a path such as `["0", "status"]` into a schema of the tables. */
export function locationIn(schema: Field<unknown>, path: readonly string[]): SchemaLocation {
  let current = schema as Schema;
  let shown = SHOWN_MEMBERS.has(current) ? true : undefined;
  let location: SchemaLocation = { ...annotationsOf(current), shown };
  for (const step of path) {
    const inner = current.items ?? current.properties?.[step] ?? current.additionalProperties;
    if (typeof inner !== "object") return { ...location, shown };
    if (current.properties) shown = SHOWN_MEMBERS.get(current)?.includes(step) ?? shown;
    current = inner;
    const doc = annotationsOf(current);
    const requirement = doc.requirement ?? location.requirement;
    location = { ...doc, requirement, shown };
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
  };
}

function membersOf(schema: Field<unknown>): readonly string[] {
  return Object.keys((schema as Schema).properties ?? {});
}
