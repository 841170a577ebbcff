import type { AssumptionId } from "../../spec/assumptions.ts";
import { ASSUMPTIONS } from "../../spec/assumptions.ts";
import type { Field } from "../../spec/fields.ts";
import type { Operation } from "../../spec/operation.ts";
import { OPERATIONS } from "../../spec/operations.ts";
import { REQUIREMENTS, type RequirementId, sectionOf } from "../../spec/requirements.ts";
import { type MemberFinder, memberFinder } from "../../spec/undefined-members.ts";
import type { WireReply } from "../http-message.ts";
import { isMembers } from "../json.ts";
import type { Profile } from "../profile.ts";
import type { OracleFinding } from "./oracle.ts";
import { locationIn, type SchemaLocation } from "./schema-location.ts";

/** An error of a validator of OpenAPI documents. */
export interface Diagnostic {
  readonly path?: readonly (string | number)[];
  readonly code?: string | number;
  readonly message: string;
}

/** Maximum number of undefined members reported for one reply. */
const MAX_MEMBERS = 5;

const finders = new WeakMap<Field<unknown>, MemberFinder>();

/** The findings about a reply: one for each diagnostic of a validator, and for each member that no schema defines. */
export function checkReply(
  row: Operation,
  reply: WireReply,
  body: unknown,
  diagnostics: readonly Diagnostic[],
  profile: Profile = "spec",
): readonly OracleFinding[] {
  const isShown = row.shown && reply.status === row.reply.status;
  const extra = isShown && row.reply.body ? undefinedMembers(row.reply.body, body) : [];
  const findings = diagnostics
    .filter((diagnostic) => profile === "spec" || !isObserved(row, reply, body, diagnostic))
    .map((diagnostic) => classify(row, reply, body, diagnostic));
  return [
    ...withoutRepeats(findings),
    ...extra
      .slice(0, MAX_MEMBERS)
      .map((name) =>
        nonStrict(firstOf(row), `the reply has ${name}, which the specification does not define`),
      ),
  ];
}

function undefinedMembers(field: Field<unknown>, body: unknown): readonly string[] {
  const find = finders.get(field) ?? memberFinder(field);
  finders.set(field, find);
  return find(body);
}

/** The items of a list share their mistakes: each is reported of the first item that has it. */
function withoutRepeats(findings: readonly OracleFinding[]): readonly OracleFinding[] {
  const kinds = new Map<string, OracleFinding>();
  for (const finding of findings) {
    const kind = finding.text.replace(/ property \d+(?=[. ])/, " property …");
    if (!kinds.has(kind)) kinds.set(kind, finding);
  }
  return [...kinds.values()];
}

/** The finding of a diagnostic: a shown fact, a choice of ours, or a matter of form. */
function classify(row: Operation, reply: WireReply, body: unknown, diagnostic: Diagnostic): OracleFinding {
  const { path = [], code, message } = diagnostic;
  if (code === undefined) return /media type/.test(message) ? mediaOf(row, message) : statusOf(row, reply);
  if (reply.status !== row.reply.status) return errorBodyOf(row, reply, message, body);
  const steps = path.slice(1).map(String);
  return code === "required" ? missingOf(row, steps, message, body) : wrongOf(row, steps, diagnostic, body);
}

/** A member is missing: a violation where it is shown. */
function missingOf(row: Operation, steps: readonly string[], message: string, body: unknown): OracleFinding {
  const name = /'([^']+)'$/.exec(message)?.[1] ?? "";
  const location = locationIn(row.reply.body ?? {}, [...steps, name]);
  const requirement = requirementOf(row, location.requirement);
  // Where null means absent, a missing member means the same (§2.5: a source only where the export was spawned).
  const isEmpty = row.server === "platform" && location.nullable;
  // §2.5 has more returned members than §4.3, which shows only the id of a new export.
  const isOpen = row === OPERATIONS.createBulkExport && name !== "id";
  if (
    row.shown &&
    location.shown === true &&
    !isEmpty &&
    !isOpen &&
    location.assumption !== "platform.reply_fields"
  )
    return fact(requirement, message, valueAt(body, steps));
  // Members that are left out have one cause, whatever their values would be.
  return choice(
    requirement,
    message,
    row.server === "platform" ? "platform.reply_fields" : location.assumption,
  );
}

/** A value is of another type or form: a violation unless its member is not shown. */
function wrongOf(
  row: Operation,
  steps: readonly string[],
  diagnostic: Diagnostic,
  body: unknown,
): OracleFinding {
  const { message } = diagnostic;
  const location = locationIn(row.reply.body ?? {}, steps);
  const requirement = requirementOf(row, location.requirement);
  const value = valueAt(body, steps);
  if (!row.shown || location.shown === false || isOurForm(row, diagnostic, location, value))
    return choice(requirement, message, location.assumption);
  const finding = fact(requirement, message, value);
  return steps.length === 0 && diagnostic.code === "type" ? { ...finding, isFatal: true } : finding;
}

/** Resources are shared between operations: what a field says of another operation (§4) is said of this one. */
function requirementOf(row: Operation, requirementId: RequirementId | undefined): RequirementId {
  const isOfAnother = requirementId?.startsWith("4.") && !row.requirements.includes(requirementId);
  return requirementId === undefined || isOfAnother ? firstOf(row) : requirementId;
}

/** FAIL for a row that the specification shows; for a row of our choosing, UNSPECIFIED. */
export function fact(requirement: RequirementId, text: string, actual?: unknown): OracleFinding {
  if (REQUIREMENTS[requirement].kind !== "S") return choice(requirement, text);
  const section = sectionOf(requirement);
  return {
    verdict: "FAIL",
    blame: "target",
    requirement,
    section,
    text,
    ...(actual !== undefined && { actual }),
  };
}

/** UNSPECIFIED: the target made another choice than ours. */
export function choice(requirement: RequirementId, text: string, assumption?: AssumptionId): OracleFinding {
  const section = sectionOf(requirement);
  const assumptionField = assumption !== undefined && assumption in ASSUMPTIONS ? { assumption } : {};
  return { verdict: "UNSPECIFIED", blame: "specification", requirement, section, text, ...assumptionField };
}

/** NON-STRICT: allowed, but not as the specification words it. */
export function nonStrict(requirement: RequirementId, text: string): OracleFinding {
  return { verdict: "NON-STRICT", blame: "target", requirement, section: sectionOf(requirement), text };
}

/** The row of the ledger that an operation is about as a whole. */
export function firstOf(row: Operation): RequirementId {
  return row.requirements[0] as RequirementId;
}

function statusOf(row: Operation, { status }: WireReply): OracleFinding {
  const text = `status ${status} is not defined for this operation`;
  if (status >= 500 && status !== 501 && row.shown)
    return {
      verdict: "FAIL",
      blame: "target",
      requirement: firstOf(row),
      section: row.section,
      text,
      isFatal: true,
    };
  if (status === 429) return choice("8.5-1", text);
  if (row.server === "agent") return choice("4.1-3", text, "agent.invalid_request");
  return choice("7-1", text, status < 300 ? "platform.success_status" : "platform.invalid_request");
}

/** §2.3 requires a string; sending it as JSON is our choice, so plain text is valid too. */
function mediaOf(row: Operation, message: string): OracleFinding {
  return row.server === "agent"
    ? choice("2.3-1", message, "agent.error_body")
    : choice("7-1", message, "platform.error_body");
}

function errorBodyOf(row: Operation, reply: WireReply, message: string, body: unknown): OracleFinding {
  if (row.server === "agent") return fact("2.3-1", `an error must be a plain string: ${message}`, body);
  return choice("7-1", `error ${reply.status}: ${message}`, "platform.error_body");
}

/** Another form that nothing shown rules out. */
function isOurForm(
  { server }: Operation,
  { code }: Diagnostic,
  location: SchemaLocation,
  value: unknown,
): boolean {
  // An object of errors by attempts may be null while there are none.
  if (value === null && location.assumption === "export.errors_when_none") return true;
  // On the platform, ids and times are plain text (§2.4, §2.5), and a list may be a part of a reply (§4).
  return server === "platform" && (code === "format" || location.shown === undefined);
}

/** What the public service was seen to do: statuses of exports in title case, errors of the agent as an object. */
function isObserved(row: Operation, reply: WireReply, body: unknown, diagnostic: Diagnostic): boolean {
  const { path = [], code } = diagnostic;
  if (reply.status !== row.reply.status)
    return row.server === "agent" && isMembers(body) && typeof body.detail === "string";
  const steps = path.slice(1).map(String);
  const { assumption, values } = locationIn(row.reply.body ?? {}, steps);
  return code === "enum" && assumption === "export.status_casing" && isAmong(values, valueAt(body, steps));
}

/** Another spelling of a value that is listed: `Completed` for `COMPLETED`. */
function isAmong(values: readonly unknown[] | undefined, value: unknown): boolean {
  const plain = (text: unknown) =>
    String(text)
      .replace(/[^a-z]/gi, "")
      .toLowerCase();
  return typeof value === "string" && (values ?? []).some((candidate) => plain(candidate) === plain(value));
}

function valueAt(body: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null
        ? (value as Readonly<Record<string, unknown>>)[step]
        : undefined,
    body,
  );
}
