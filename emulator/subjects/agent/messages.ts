import { isText, textOrJson } from "../../../contracts/spec/exact-json.ts";
import type { Json } from "./records.ts";

/** Messages of humans, assistants and tools in the form of the public clients. */

const ROLES: Readonly<Record<string, string>> = { user: "human", assistant: "ai" };

const MAX_CHUNKS = 200;

/** Members that messages of the public clients always have. */
export function messageMembers(type: string): Json {
  const members = { additional_kwargs: {}, response_metadata: {} };
  return type === "ai" ? { ...members, tool_calls: [], invalid_tool_calls: [] } : members;
}

/** A caller's message in stored form: with a type and an id. */
export function messageFrom(input: unknown, nextId: () => string): Json {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return { ...messageMembers("human"), type: "human", content: textOrJson(input), id: nextId() };
  }
  const { role: sentRole, ...message } = input as Json;
  const role = textOrJson(message.type ?? sentRole ?? "human");
  const type = ROLES[role] ?? role;
  const { content = "", id = nextId() } = message;
  return { ...messageMembers(type), ...message, type, content: content ?? "", id: id ?? nextId() };
}

/** The text of a message whose content is a string or a list of blocks. */
export function textOf(message: Json | undefined): string {
  const content = message?.content;
  if (isText(content)) return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (isText(block) ? block : textOrJson(block?.text ?? ""))).join("");
}

export function lastOfType(messages: readonly Json[], type: string): Json | undefined {
  return messages.findLast((message) => message.type === type);
}

/** Splits a text into chunks as a model streams it: words, or longer chunks of a long text. */
export function chunkTexts(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text];
  const wordsPerChunk = Math.ceil(words.length / MAX_CHUNKS);
  if (wordsPerChunk <= 1) return words;
  return Array.from({ length: Math.ceil(words.length / wordsPerChunk) }, (_, index) =>
    words.slice(index * wordsPerChunk, (index + 1) * wordsPerChunk).join(""),
  );
}

/** Estimated number of tokens: four characters each. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}
