import { hideWith, maskedQuery } from "../../../contracts/spec/secrets.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { documentOrText } from "../json-of.ts";
import type { Settings } from "../settings.ts";
import type { Reader, Turn } from "../turn.ts";
import { MASK } from "./mask.ts";
import { INBOX, INBOX_NAMES, type InboxMessage } from "./records.ts";

const NAME = /^[A-Za-z0-9._-]{1,100}$/;

const hide = hideWith(MASK);

type Received = Pick<InboxMessage, "query" | "headers" | "body">;

/** The built-in receiver: stores the newest messages of the newest inboxes. */
export function receive(
  turn: Turn,
  name: string,
  { query, headers, body }: Received,
): { readonly received: string } {
  const { limits, webhooks } = turn.ports.settings;
  requireValidName(name);
  requireShortHead(query, headers, limits.webhook_inbox_characters);
  const masked = withoutSecrets(webhooks.headers, { query, headers, body });
  const message: InboxMessage = {
    id: turn.nextId("webhook_message"),
    inbox: name,
    received_at: turn.now,
    ...masked,
    body: masked.body.slice(0, limits.webhook_inbox_characters),
    body_cut: body.length > limits.webhook_inbox_characters,
  };
  if (!turn.get(INBOX_NAMES, name)) removeOldestInbox(turn);
  turn.put(INBOX_NAMES, { name });
  turn.put(INBOX, message);
  const [oldest] = turn.list(INBOX, name);
  if (oldest && turn.count(INBOX, name) > limits.webhook_inbox_messages) turn.remove(INBOX, oldest.id);
  return { received: message.id };
}

/** Masks what senders authenticate with: static headers, secret headers, the query (§5-4) and webhooks in the payload. */
function withoutSecrets(own: Settings["webhooks"]["headers"], { query, headers, body }: Received) {
  const fixed = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const maskedHeaders = Object.entries(headers).map(([name, value]) => {
    const isPlain = name === "content-type" || !fixed.has(name);
    return [name, isPlain ? String(hide([name], value)) : MASK];
  });
  return {
    query: maskedQuery(query, MASK),
    headers: Object.fromEntries(maskedHeaders),
    body: String(hide([], body)),
  };
}

function removeOldestInbox(turn: Turn): void {
  if (turn.count(INBOX_NAMES) < turn.ports.settings.limits.webhook_inboxes) return;
  const [oldest] = turn.list(INBOX_NAMES);
  if (oldest) clearInbox(turn, oldest.name);
}

/** Deletes the messages of an inbox and returns their number. */
export function clearInbox(turn: Turn, name: string): number {
  requireValidName(name);
  const messages = [...turn.list(INBOX, name)];
  for (const { id } of messages) turn.remove(INBOX, id);
  if (turn.get(INBOX_NAMES, name)) turn.remove(INBOX_NAMES, name);
  return messages.length;
}

/** Every inbox with the number of its messages. */
export function listInboxes(reader: Reader) {
  return [...reader.list(INBOX_NAMES)].map(({ name }) => ({ name, messages: reader.count(INBOX, name) }));
}

/** The messages of an inbox, oldest first; a JSON body is parsed. */
export function readInbox(reader: Reader, name: string) {
  requireValidName(name);
  return [...reader.list(INBOX, name)].map(({ received_at, body, inbox: _, ...message }) => ({
    ...message,
    received_at: formatInstant(received_at),
    body: documentOrText(body),
  }));
}

function requireValidName(name: string): void {
  if (NAME.test(name)) return;
  const size = "The name of an inbox has up to 100 letters, digits, dots, hyphens and underscores.";
  throw invalidRequest(size);
}

/** Needed for requests without a socket, where no HTTP server limits the head. Throws a `Refusal` (413). */
function requireShortHead(query: string, headers: Received["headers"], maximum: number): void {
  const characters = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    query.length,
  );
  if (characters <= maximum) return;
  throw new Refusal(
    413,
    "head_too_large",
    `The query and headers have ${characters} characters; an inbox accepts at most ${maximum}.`,
    "limits.webhook_inbox_characters sets the maximum.",
  );
}
