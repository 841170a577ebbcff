import { jsonOrText } from "../../json-of.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { type Attributes, firstOf } from "./attributes.ts";
import {
  INPUT_EVENTS,
  INPUT_MESSAGES,
  INPUT_NAMES,
  INPUT_PREFIXES,
  OUTPUT_EVENT,
  OUTPUT_MESSAGES,
  OUTPUT_NAMES,
  OUTPUT_PREFIXES,
  SYSTEM_INSTRUCTIONS,
} from "./conventions.ts";

export interface SpanEvent {
  readonly name: string;
  readonly time: string | null;
  readonly attributes: Attributes;
}

/** The inputs of a span; null when it has none. */
export function inputsOf(attributes: Attributes, events: readonly SpanEvent[]): JsonObject | null {
  const messages = listOf(attributes.get(INPUT_MESSAGES)) ?? indexed(attributes, INPUT_PREFIXES);
  const system = parsed(attributes.get(SYSTEM_INSTRUCTIONS));
  if (messages) return { ...(system !== undefined && { system }), messages };
  const listedMessages = events.flatMap(({ name, attributes: message }) => {
    const role = Object.hasOwn(INPUT_EVENTS, name) ? INPUT_EVENTS[name] : undefined;
    return role === undefined ? [] : [{ role, ...plain(message) }];
  });
  if (listedMessages.length > 0) return { messages: listedMessages };
  return asObject(parsed(firstOf(attributes, INPUT_NAMES)), "input");
}

/** The outputs of a span; null when it has none. */
export function outputsOf(attributes: Attributes, events: readonly SpanEvent[]): JsonObject | null {
  const messages = listOf(attributes.get(OUTPUT_MESSAGES)) ?? indexed(attributes, OUTPUT_PREFIXES);
  if (messages) return { messages };
  const choices = events.filter(({ name }) => name === OUTPUT_EVENT).map((event) => plain(event.attributes));
  if (choices.length > 0) return { choices };
  return asObject(parsed(firstOf(attributes, OUTPUT_NAMES)), "output");
}

/** Whether an attribute is part of inputs or outputs and therefore omitted from the metadata. */
export function isContent(name: string): boolean {
  if ([INPUT_MESSAGES, OUTPUT_MESSAGES, SYSTEM_INSTRUCTIONS, ...INPUT_NAMES, ...OUTPUT_NAMES].includes(name))
    return true;
  return [...INPUT_PREFIXES, ...OUTPUT_PREFIXES].some((prefix) => name.startsWith(prefix));
}

/** `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content`: a list of messages, one member per attribute. */
function indexed(attributes: Attributes, prefixes: readonly string[]): readonly JsonObject[] | undefined {
  const messages = new Map<number, Record<string, unknown>>();
  for (const [name, value] of attributes) {
    const prefix = prefixes.find((one) => name.startsWith(one));
    const nameMatch =
      prefix === undefined ? null : /^(\d{1,6})\.(?:message\.)?(.+)$/.exec(name.slice(prefix.length));
    if (!nameMatch) continue;
    const [, index = "", member = ""] = nameMatch;
    const message = messages.get(Number(index)) ?? {};
    messages.set(Number(index), Object.assign(message, { [member]: value }));
  }
  if (messages.size === 0) return undefined;
  return [...messages].sort(([left], [right]) => left - right).map(([, message]) => message);
}

function plain(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries([...attributes].map(([name, value]) => [name, parsed(value)]));
}

function listOf(value: unknown): readonly unknown[] | undefined {
  const list = parsed(value);
  return Array.isArray(list) ? list : undefined;
}

function asObject(value: unknown, name: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  return isJsonObject(value) ? value : { [name]: value };
}

/** Parses JSON text: many tracers cannot write nested attributes and send JSON as a string. */
function parsed(value: unknown): unknown {
  return typeof value === "string" && /^\s*[[{"]/.test(value) ? jsonOrText(value) : value;
}
