import type { Json } from "./records.ts";

/** What people, assistants and tools say; the form that public clients show. */

const ROLES: Readonly<Record<string, string>> = { user: "human", assistant: "ai" };

const PIECES_MAX = 200;

/** A message of a caller in the form in which it is kept: with a type and an id. */
export function messageFrom(given: unknown, nextId: () => string): Json {
  if (typeof given === "string") return { type: "human", content: given, id: nextId() };
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { type: "human", content: JSON.stringify(given), id: nextId() };
  const message = given as Json;
  const role = String(message.type ?? message.role ?? "human");
  const { role: _, ...rest } = message;
  return { ...rest, type: ROLES[role] ?? role, content: message.content ?? "", id: message.id ?? nextId() };
}

/** The text of a message's content, which is a text or a list of blocks. */
export function textOf(message: Json | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (typeof block === "string" ? block : String(block?.text ?? ""))).join("");
}

export function lastOfType(messages: readonly Json[], type: string): Json | undefined {
  return messages.findLast((message) => message.type === type);
}

/** A text in the pieces in which a model would tell it: words, or longer pieces of a long one. */
export function piecesOf(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text];
  const perPiece = Math.ceil(words.length / PIECES_MAX);
  if (perPiece <= 1) return words;
  return Array.from({ length: Math.ceil(words.length / perPiece) }, (_, index) =>
    words.slice(index * perPiece, (index + 1) * perPiece).join(""),
  );
}

/** Tokens as a rough reader counts them: four characters each. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}
