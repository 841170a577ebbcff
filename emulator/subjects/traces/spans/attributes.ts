import { exactNumber, markedName, markedNumeral } from "../../../../contracts/spec/exact-json.ts";
import { isJsonObject } from "../json.ts";

/** The attributes of a span as plain JSON, by name. */
export type Attributes = ReadonlyMap<string, unknown>;

const MAX_DEPTH = 100;

/** Reads OTLP's list of typed key-value pairs; entries without a readable value are omitted. */
export function readAttributes(list: unknown): Attributes {
  const attributes = new Map<string, unknown>();
  if (!Array.isArray(list)) return attributes;
  for (const entry of list) {
    if (!isJsonObject(entry) || typeof entry.key !== "string") continue;
    const value = valueOf(entry.value, MAX_DEPTH);
    if (value !== undefined) attributes.set(markedName(entry.key), value);
  }
  return attributes;
}

/** OTLP/JSON writes 64-bit integers as text. */
function valueOf(value: unknown, depthLeft: number): unknown {
  if (!isJsonObject(value) || depthLeft === 0) return undefined;
  if ("stringValue" in value) return String(value.stringValue);
  if ("boolValue" in value) return value.boolValue === true;
  if ("intValue" in value) return integerOf(value.intValue);
  if ("doubleValue" in value) return doubleOf(value.doubleValue);
  if ("bytesValue" in value) return String(value.bytesValue);
  if (isJsonObject(value.arrayValue)) {
    const { values } = value.arrayValue;
    return Array.isArray(values) ? values.map((inner) => valueOf(inner, depthLeft - 1) ?? null) : [];
  }
  if (isJsonObject(value.kvlistValue)) {
    const { values } = value.kvlistValue;
    const entries = (Array.isArray(values) ? values : []).filter(isJsonObject);
    return Object.fromEntries(
      entries.map((entry) => [markedName(String(entry.key)), valueOf(entry.value, depthLeft - 1) ?? null]),
    );
  }
  return undefined;
}

function integerOf(value: unknown): unknown {
  const numeral = markedNumeral(value) ?? String(value);
  return exactNumber(numeral) ?? numeral;
}

/** NaN and infinities become text, since JSON cannot express them. */
function doubleOf(value: unknown): unknown {
  if (markedNumeral(value) !== undefined) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : String(value);
}
