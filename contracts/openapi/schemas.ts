import * as assistants from "../spec/agent/assistant-resources.ts";
import * as agent from "../spec/agent/resources.ts";
import * as threads from "../spec/agent/thread-resources.ts";
import type { AssumptionId } from "../spec/assumptions.ts";
import type { Field } from "../spec/fields.ts";
import { OBSERVED_SPELLINGS } from "../spec/lifecycle.ts";
import * as resources from "../spec/resources.ts";
import { information } from "../spec/system-operations.ts";
import * as traces from "../spec/traces/resources.ts";

/** Values in force where they differ from our choices. */
export type AssumptionValues = Readonly<Partial<Record<AssumptionId, unknown>>>;

/** Schemas with a name of their own; everything else is written where it is used. */
const NAMED: ReadonlyMap<Field<unknown>, string> = new Map<Field<unknown>, string>([
  [resources.credentials, "BulkExportDestinationCredentials"],
  [resources.destinationConfig, "BulkExportDestinationConfig"],
  [resources.destinationCreate, "BulkExportDestinationCreate"],
  [resources.destinationPatch, "BulkExportDestinationPatch"],
  [resources.destination, "BulkExportDestination"],
  [resources.bulkExportCreate, "BulkExportCreate"],
  [resources.bulkExportPatch, "BulkExportPatch"],
  [resources.bulkExport, "BulkExport"],
  [resources.bulkExportRun, "BulkExportRun"],
  [resources.progress, "BulkExportRunProgress"],
  [traces.runCreate, "TraceRunCreate"],
  [traces.runUpdate, "TraceRunUpdate"],
  [traces.runBatch, "TraceRunBatch"],
  [traces.traceRun, "TraceRun"],
  [traces.projectCreate, "ProjectCreate"],
  [traces.project, "Project"],
  [agent.agentRun, "Run"],
  [agent.agentRunPart, "RunPart"],
  [agent.agentRunCreate, "RunCreate"],
  [threads.thread, "Thread"],
  [threads.threadCreate, "ThreadCreate"],
  [threads.threadState, "ThreadState"],
  [assistants.assistant, "Assistant"],
  [assistants.assistantCreate, "AssistantCreate"],
  [information, "Information"],
]);

const detail = {
  type: "object",
  properties: { detail: { type: "string", description: "What was wrong." } },
  required: ["detail"],
} as const;

const otlpStatus = {
  type: "object",
  properties: {
    code: { type: "integer", description: "gRPC status code." },
    message: { type: "string", description: "What was wrong." },
  },
  required: ["code", "message"],
} as const;

/** §2.3, and our choices for the platform. */
export function errorSchemas(values: AssumptionValues) {
  const isObject = (values["agent.error_body"] ?? "a JSON string") !== "a JSON string";
  const string = { type: "string", description: "What was wrong.", "x-requirement": "2.3-1" };
  return {
    PlatformError: { ...detail, "x-assumption": "platform.error_body", "x-beyond": true },
    OtlpStatus: { ...otlpStatus, "x-assumption": "ingest.span_errors", "x-beyond": true },
    AgentError: { ...(isObject ? detail : string), "x-assumption": "agent.error_body" },
  };
}

/** Writes a field as a schema: named ones as references, unless they are asked for in place. */
export type SchemaWriter = (field: Field<unknown>, inPlace?: boolean) => unknown;

/** Writes what is right for these values of the assumptions, with references to the fields of these names. */
export function schemaWriter(values: AssumptionValues, componentSchemas = NAMED): SchemaWriter {
  const titleCase = (values["export.status_casing"] ?? "upper") === "title";
  const write = (value: unknown, inPlace: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => write(item, false));
    if (typeof value !== "object" || value === null) return value;
    const name = inPlace ? undefined : componentSchemas.get(value as Field<unknown>);
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
    const schema = Object.fromEntries(
      Object.entries(value).map(([word, inner]) => [word, write(inner, false)]),
    );
    return titleCase && schema["x-assumption"] === "export.status_casing"
      ? { ...schema, enum: Object.values(OBSERVED_SPELLINGS) }
      : schema;
  };
  return (field, inPlace = false) => write(field, inPlace);
}

/** What the references of a writer lead to, for `components/schemas`. */
export function namedSchemas(schemaOf: SchemaWriter): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...NAMED].map(([field, name]) => [name, schemaOf(field, true)]));
}
