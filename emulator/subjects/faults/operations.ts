import type { Operation } from "../../../contracts/spec/operation.ts";
import { OPERATIONS, type OperationId } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { OPERATION_PERMISSIONS } from "../object-storage/permissions.ts";
import { matchesPattern } from "./match.ts";
import { unknownWord } from "./words.ts";

/** All names of an operation: its id, and its method with each of its path templates. */
export function namesOf(id: OperationId): readonly string[] {
  const { method, path, alsoAt = [] }: Operation = OPERATIONS[id];
  return [id, ...[path, ...alsoAt].map((template) => `${method} ${template}`)];
}

/** Reads an operation of `match`: one of its names, whatever the parameters of the path are called. */
export function httpOperation(where: string, input: unknown): string {
  const known = (Object.keys(OPERATIONS) as OperationId[]).flatMap(namesOf);
  if (typeof input === "string") {
    const wanted = withoutParameterNames(input);
    const same = known.find((name) => withoutParameterNames(name) === wanted);
    if (same !== undefined) return same;
    if (input.includes("*") && known.some((name) => matchesPattern(input, name))) return input;
  }
  if (typeof input === "string" && Object.hasOwn(OPERATION_PERMISSIONS, input))
    throw new Refusal(
      422,
      "unknown_operation",
      `${where}: ${input} is an operation of the object store, not of the API.`,
      "Arm it on the target s3.",
    );
  const { message, hint } = unknownWord("unknown_operation", where, input, known);
  const concrete = "A path without its template goes into match.path; GET /openapi.json has the templates.";
  throw new Refusal(422, "unknown_operation", message, `${hint} ${concrete}`);
}

function withoutParameterNames(name: string): string {
  const [first = "", ...rest] = name.split(" ");
  const head = rest.length > 0 ? first.toUpperCase() : first;
  return [head, ...rest].join(" ").replace(/\{[^}/]*\}/g, "{}");
}
