import { documentOrText } from "../../json-of.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Attributes } from "./attributes.ts";
import { type Members, plainOf, setMember } from "./members.ts";

/** Members within members of a message; a name with more is not that of a message. */
const MAX_NAMES = 10;

/** Reads the value of an attribute, or an event, which has no value. `attributes` are those of the span or the event. */
export type Read = (value: unknown, attributes: Attributes) => unknown;

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Parses JSON text: many tracers cannot write nested attributes and send JSON as a string. */
export function parsed(value: unknown): unknown {
  return typeof value === "string" && /^\s*[[{"]/.test(value) ? documentOrText(value) : value;
}

export function listOf(value: unknown): readonly unknown[] | undefined {
  const list = parsed(value);
  return Array.isArray(list) ? list : undefined;
}

export function objectOf(value: unknown): JsonObject | undefined {
  const object = parsed(value);
  return isJsonObject(object) ? object : undefined;
}

/** All inputs or outputs; a value that is not an object is the member `name` of one. `attribute` is that of an event. */
export function whole(name: string, attribute?: string): Read {
  return (ownValue, attributes) => {
    const value = parsed(attribute === undefined ? ownValue : attributes.get(attribute));
    return value == null || isJsonObject(value) ? (value ?? undefined) : { [name]: value };
  };
}

/** An event with one message. */
export function messageOf(role: string): Read {
  return (_, attributes) => {
    const { id, ...message } = choiceOf(_, attributes);
    return { role, ...message, ...(id !== undefined && { [role === "tool" ? "tool_call_id" : "id"]: id }) };
  };
}

/** An event with one choice of the model. A dot in a name separates members. */
export function choiceOf(_: unknown, attributes: Attributes): JsonObject {
  const choice: Members = new Map();
  for (const [name, value] of attributes) {
    const path = name.split(".", MAX_NAMES).map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : part));
    if (path.length < MAX_NAMES && path[0] !== "gen_ai") setMember(choice, path, parsed(value));
  }
  return objectOf(attributes.get("gen_ai.event.content")) ?? objectOf(plainOf(choice)) ?? {};
}

/** The message and the stack trace of an exception. */
export function exceptionOf(_: unknown, attributes: Attributes): string {
  const message = textOf(attributes.get("exception.message")) ?? textOf(attributes.get("exception.type"));
  const trace = textOf(attributes.get("exception.stacktrace"));
  return `${message ?? "error"}${trace === undefined ? "" : `\n\nStacktrace:\n${trace}`}`;
}
