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

/** Reads an operation of `match` by one of its names. The names of path parameters do not matter. Throws a `Refusal`. */
export function httpOperation(where: string, input: unknown): string {
  const names = (Object.keys(OPERATIONS) as OperationId[]).flatMap(namesOf);
  if (typeof input === "string") {
    const pattern = withoutParameterNames(input);
    const match = names.find((name) => withoutParameterNames(name) === pattern);
    if (match !== undefined) return match;
    if (input.includes("*") && names.some((name) => matchesPattern(input, name))) return input;
  }
  if (typeof input === "string" && Object.hasOwn(OPERATION_PERMISSIONS, input))
    throw new Refusal(
      422,
      "unknown_operation",
      `${where}: ${input} is an operation of the object store, not of the API.`,
      "Arm the fault with the target s3 instead.",
    );
  // Ids and paths are not mixed in one list.
  const isPath = String(input).includes("/");
  const alike = names.filter((name) => name.includes("/") === isPath);
  const { message, hint } = unknownWord("unknown_operation", where, input, alike);
  const paths =
    "GET /openapi.json lists all operations. To match the path of a request instead, use match.path, such as /api/v1/bulk-exports/* (`*` stands for any text).";
  throw new Refusal(422, "unknown_operation", message, `${hint} ${paths}`);
}

function withoutParameterNames(name: string): string {
  const [first = "", ...rest] = name.split(" ");
  const method = rest.length > 0 ? first.toUpperCase() : first;
  return [method, ...rest].join(" ").replace(/\{[^}/]*\}/g, "{}");
}
