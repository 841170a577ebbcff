import {
  closed,
  dateTime,
  listOf,
  maybe,
  oneOf,
  optional,
  type TypeOf,
  text,
} from "../../../contracts/spec/fields.ts";
import { formatInstant, formatInstantOrNull, instantMs } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader, Turn } from "../turn.ts";
import { BUCKET_NAME } from "./names.ts";
import { S3_PERMISSIONS, type S3Credential, type S3Permission, s3Credentials } from "./records.ts";

const permissions = listOf(oneOf(S3_PERMISSIONS), { uniqueItems: true });
const secret = text({ minLength: 1, maxLength: 2048 });

const CHANGES = {
  secret_access_key: optional(secret),
  session_token: maybe(text({ minLength: 1, maxLength: 8192 })),
  expires_at: maybe(dateTime({ description: "ISO 8601, virtual time." })),
  allow: optional(permissions),
  deny: optional(permissions),
  bucket: maybe(BUCKET_NAME),
};

/** The body of `PATCH /s3/credentials/{access_key_id}`. */
export const CREDENTIAL_CHANGE = closed(CHANGES);

/** The body of `POST /s3/credentials`. The id has to fit into the header of a signature. */
export const CREDENTIAL = closed({
  ...CHANGES,
  access_key_id: text({
    pattern: "^[\\w.+=@-]{1,128}$",
    title: "letters, digits and . + = @ _ -, 128 at most",
  }),
  secret_access_key: secret,
});

export type CredentialRequest = TypeOf<typeof CREDENTIAL>;

type CredentialChange = TypeOf<typeof CREDENTIAL_CHANGE>;

/** A key pair in replies, without its secret and token. */
export type CredentialView = Readonly<ReturnType<typeof viewCredential>>;

export function viewCredential(credential: S3Credential) {
  const { access_key_id, sealed_session_token, expires_at, allow, deny, bucket, created_at } = credential;
  return {
    access_key_id,
    has_session_token: sealed_session_token !== null,
    expires_at: formatInstantOrNull(expires_at),
    allow,
    deny,
    bucket,
    created_at: formatInstant(created_at),
  };
}

export function listCredentials(reader: Reader): readonly CredentialView[] {
  return [...reader.list(s3Credentials)].map(viewCredential);
}

/** `POST /s3/credentials`; allows everything that the request does not restrict. */
export function createCredential(turn: Turn, request: CredentialRequest): CredentialView {
  const { access_key_id, secret_access_key } = request;
  if (turn.get(s3Credentials, access_key_id)) {
    throw new Refusal(
      409,
      "credential_exists",
      `The key ${access_key_id} already exists.`,
      "Choose another id, or change the existing key.",
    );
  }
  const blank = { access_key_id, expires_at: null, allow: S3_PERMISSIONS, deny: [], bucket: null };
  return saveCredential(turn, {
    ...blank,
    created_at: turn.now,
    sealed_secret: turn.ports.secrets.seal(secret_access_key),
    sealed_session_token: null,
    ...changes(turn, request),
  });
}

/** `PATCH /s3/credentials/{access_key_id}`: takes effect at once, also for running exports. */
export function changeCredential(turn: Turn, accessKeyId: string, request: CredentialChange): CredentialView {
  const { secret_access_key } = request;
  const before = requireCredential(turn, accessKeyId);
  return saveCredential(turn, {
    ...before,
    ...(secret_access_key !== undefined && { sealed_secret: turn.ports.secrets.seal(secret_access_key) }),
    ...changes(turn, request),
  });
}

/** `DELETE /s3/credentials/{access_key_id}` */
export function deleteCredential(turn: Turn, accessKeyId: string): void {
  requireCredential(turn, accessKeyId);
  turn.remove(s3Credentials, accessKeyId);
}

function saveCredential(turn: Turn, credential: S3Credential): CredentialView {
  turn.put(s3Credentials, credential);
  return viewCredential(credential);
}

function requireCredential(turn: Turn, accessKeyId: string): S3Credential {
  const credential = turn.get(s3Credentials, accessKeyId);
  if (credential) return credential;
  const message = `Key ${JSON.stringify(accessKeyId)} does not exist.`;
  const hint = "List the keys with GET /_emulator/v1/s3/credentials.";
  throw new Refusal(404, "no_such_credential", message, hint);
}

function changes(turn: Turn, request: CredentialChange): Partial<S3Credential> {
  const { session_token, expires_at, allow, deny, bucket } = request;
  return {
    ...(session_token !== undefined && {
      sealed_session_token: session_token === null ? null : turn.ports.secrets.seal(session_token),
    }),
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : instantMs(expires_at) }),
    ...(allow && { allow: inOrder(allow) }),
    ...(deny && { deny: inOrder(deny) }),
    ...(bucket !== undefined && { bucket }),
  };
}

function inOrder(requested: readonly S3Permission[]): readonly S3Permission[] {
  return S3_PERMISSIONS.filter((permission) => requested.includes(permission));
}
