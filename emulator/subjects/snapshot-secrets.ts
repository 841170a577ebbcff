import { type Field, mapOf, object, optional, text } from "../../contracts/spec/fields.ts";

/** The records of an imported world that lack their secrets. */
export interface MissingSecrets {
  readonly destinations: readonly { readonly id: string; readonly display_name: string }[];
  /** Of the embedded object store. */
  readonly keys: readonly string[];
  /** Texts with addresses or headers of webhooks: which record, and the members that lead to the text. */
  readonly webhooks: readonly MissingWebhookSecret[];
}

interface MissingWebhookSecret {
  readonly collection: string;
  readonly id: string;
  readonly member: string;
}

/** The body of `PUT /secrets`, and the content of a file of secrets. */
export const SUPPLIED_SECRETS = object({
  destinations: optional(
    mapOf(object({ access_key_id: text(), secret_access_key: text(), session_token: optional(text()) })),
  ),
  keys: optional(mapOf(object({ secret_access_key: text(), session_token: optional(text()) }))),
  webhooks: optional(mapOf(mapOf(text()))),
});

/** Secrets for what is missing: by the id or the display name of a destination, the id of a key, `<collection>/<id>`. */
export type SuppliedSecrets = typeof SUPPLIED_SECRETS extends Field<infer Secrets> ? Secrets : never;
