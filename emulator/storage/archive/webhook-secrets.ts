import { isSecretName, withoutUrlSecrets } from "../../../contracts/spec/secrets.ts";
import { ASSISTANTS, RUNS, THREADS } from "../../subjects/agent/records.ts";
import { CRONS } from "../../subjects/crons/records.ts";
import { FAULTS } from "../../subjects/faults/records.ts";
import { PROJECTS } from "../../subjects/projects/projects.ts";
import { maskedUrl } from "../../subjects/webhooks/mask.ts";
import { DELIVERIES, INBOX } from "../../subjects/webhooks/records.ts";

/** Stands where a secret was left out. */
export const LEFT_OUT = "left-out";

/**
 * Records that carry addresses of webhooks, and with them the tokens of receivers (§5-4), or what their users
 * have configured. Rows, values of threads and objects are data: they are what a snapshot is for.
 */
const COLLECTIONS_WITH_WEBHOOKS: ReadonlySet<string> = new Set(
  [RUNS, CRONS, FAULTS, DELIVERIES, INBOX, THREADS, ASSISTANTS, PROJECTS].map(({ name }) => name),
);

/** Headers of a webhook that every sender sends; the others are its user's, and may be anything. */
const PLAIN_HEADERS = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "host",
  "user-agent",
]);

/** Where a text stands in a record: names of members and places in lists, from the outside in. */
export type Path = readonly (string | number)[];

/** A text without the secrets in it; the same text when there are none. */
export type MaskText = (at: Path, text: string) => string;

/** How the texts of a record are masked; undefined for records that carry no such secrets. */
export function maskerOf(collection: string, record: unknown): MaskText | undefined {
  if (!COLLECTIONS_WITH_WEBHOOKS.has(collection)) return undefined;
  if (collection === INBOX.name) return maskMessage;
  if (collection !== DELIVERIES.name) return maskText;
  const { url } = record as { readonly url: string };
  return (at, text) =>
    maskText(at, at[0] === "payload" ? text.replaceAll(url, maskedUrl(url, LEFT_OUT)) : text);
}

/** Masks by the name of the member that the text belongs to; addresses in a text lose their secrets too. */
export function maskText(at: Path, text: string): string {
  const name = String(at.at(-1) ?? "");
  if (isSecretName(name)) return LEFT_OUT;
  const isAddress = name === "webhook" || name === "url";
  return withoutUrlSecrets(isAddress ? maskedUrl(text, LEFT_OUT) : maskedJson(text), LEFT_OUT);
}

function maskMessage(at: Path, text: string): string {
  const [field, name = ""] = at;
  if (field === "headers") return PLAIN_HEADERS.has(String(name)) ? text : LEFT_OUT;
  return field === "query" && text !== "" ? maskedUrl(`?${text}`, LEFT_OUT).slice(1) : maskText(at, text);
}

/** A payload is JSON in a text, and has the address that it is sent to in it. */
function maskedJson(text: string): string {
  if (!text.includes('"webhook"')) return text;
  try {
    const mask = (name: string, value: unknown) =>
      name === "webhook" && typeof value === "string" ? maskedUrl(value, LEFT_OUT) : value;
    return JSON.stringify(JSON.parse(text, mask));
  } catch {
    return text;
  }
}
