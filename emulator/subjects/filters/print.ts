import type { Filter, Operand, Scalar } from "./filter.ts";

/** Formats a filter so that `parseFilter` returns an equal filter. */
export function printFilter(filter: Filter): string {
  switch (filter.op) {
    case "and":
    case "or":
      return `${filter.op}(${filter.filters.map(printFilter).join(", ")})`;
    case "not":
      return `not(${printFilter(filter.filter)})`;
    case "search":
      return `search(${printValue(filter.term)})`;
    default:
      return `${filter.op}(${filter.field}, ${printOperand(filter.value)})`;
  }
}

function printOperand(value: Operand): string {
  if (typeof value !== "object") return printValue(value);
  if (isList(value)) return `[${value.map(printValue).join(", ")}]`;
  return printValue(JSON.stringify(value));
}

function isList(value: Operand): value is readonly Scalar[] {
  return Array.isArray(value);
}

function printValue(value: Scalar): string {
  return JSON.stringify(value);
}
