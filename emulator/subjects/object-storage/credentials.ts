import { formatInstant, parseInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader, Turn } from "../turn.ts";
import { isBucketName } from "./names.ts";
import { S3_PERMISSIONS, type S3Credential, type S3Permission, s3Credentials } from "./records.ts";

/** The body of `POST /s3/credentials`; a PATCH may leave out any of it. */
export interface CredentialRequest {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | null;
  /** ISO 8601, virtual time. */
  readonly expires_at?: string | null;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly bucket?: string | null;
}

/** A key pair as replies show it: never its secret, never its token. */
export interface CredentialView {
  readonly access_key_id: string;
  readonly has_session_token: boolean;
  readonly expires_at: string | null;
  readonly allow: readonly S3Permission[];
  readonly deny: readonly S3Permission[];
  readonly bucket: string | null;
  readonly created_at: string;
}

/** A key pair as replies show it, with times as ISO 8601. */
export function viewCredential(credential: S3Credential): CredentialView {
  const { access_key_id, sealed_session_token, expires_at, allow, deny, bucket, created_at } = credential;
  return {
    access_key_id,
    has_session_token: sealed_session_token !== null,
    expires_at: expires_at === null ? null : formatInstant(expires_at),
    allow,
    deny,
    bucket,
    created_at: formatInstant(created_at),
  };
}

export function listCredentials(reader: Reader): readonly CredentialView[] {
  return [...reader.list(s3Credentials)].map(viewCredential);
}

/** What the id of a key pair is made of. */
export const ACCESS_KEY_IDS = "letters, digits and . + = @ _ -, 128 at most";

/** Whether this can be the id of a key pair: it has to fit into a signature's header. */
export function isAccessKeyId(text: string): boolean {
  return /^[\w.+=@-]{1,128}$/.test(text);
}

/** `POST /s3/credentials`; everything is allowed that the request does not restrict. */
export function createCredential(turn: Turn, request: CredentialRequest): CredentialView {
  const { access_key_id, secret_access_key } = request;
  if (!isAccessKeyId(access_key_id)) throw invalid("access_key_id", ACCESS_KEY_IDS);
  if (turn.get(s3Credentials, access_key_id)) {
    throw new Refusal(
      409,
      "credential_exists",
      `The key ${access_key_id} exists already.`,
      "PATCH changes it.",
    );
  }
  const blank = { access_key_id, expires_at: null, allow: S3_PERMISSIONS, deny: [], bucket: null };
  return saveCredential(turn, {
    ...blank,
    created_at: turn.now,
    sealed_secret: sealedSecret(turn, secret_access_key),
    sealed_session_token: null,
    ...changes(turn, request),
  });
}

/** `PATCH /s3/credentials/{access_key_id}`: in force at once, for exports under way too. */
export function changeCredential(
  turn: Turn,
  accessKeyId: string,
  request: Partial<Omit<CredentialRequest, "access_key_id">>,
): CredentialView {
  const { secret_access_key } = request;
  const before = credentialNamed(turn, accessKeyId);
  const secret =
    secret_access_key === undefined ? {} : { sealed_secret: sealedSecret(turn, secret_access_key) };
  return saveCredential(turn, { ...before, ...secret, ...changes(turn, request) });
}

/** `DELETE /s3/credentials/{access_key_id}` */
export function deleteCredential(turn: Turn, accessKeyId: string): void {
  credentialNamed(turn, accessKeyId);
  turn.remove(s3Credentials, accessKeyId);
}

function saveCredential(turn: Turn, credential: S3Credential): CredentialView {
  turn.put(s3Credentials, credential);
  return viewCredential(credential);
}

function credentialNamed(turn: Turn, accessKeyId: string): S3Credential {
  const found = turn.get(s3Credentials, accessKeyId);
  if (found) return found;
  const message = `There is no key ${JSON.stringify(accessKeyId)}.`;
  throw new Refusal(404, "no_such_credential", message, "GET /_emulator/v1/s3/credentials lists them.");
}

function sealedSecret(turn: Turn, secret: string): string {
  if (secret === "") throw invalid("secret_access_key", "text that is not empty");
  return turn.ports.secrets.seal(secret);
}

function changes(turn: Turn, request: Partial<CredentialRequest>): Partial<S3Credential> {
  const { session_token, expires_at, allow, deny, bucket } = request;
  return {
    ...(session_token !== undefined && {
      sealed_session_token: session_token === null ? null : turn.ports.secrets.seal(session_token),
    }),
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : instantOf(expires_at) }),
    ...(allow && { allow: permissionsOf("allow", allow) }),
    ...(deny && { deny: permissionsOf("deny", deny) }),
    ...(bucket !== undefined && { bucket: bucketOf(bucket) }),
  };
}

function instantOf(text: string): number {
  const instant = parseInstant(text);
  if (instant === undefined) throw invalid("expires_at", "an ISO 8601 instant with a zone");
  return instant;
}

function permissionsOf(field: string, names: readonly string[]): readonly S3Permission[] {
  const known = S3_PERMISSIONS.filter((permission) => names.includes(permission));
  if (names.every((name) => S3_PERMISSIONS.some((permission) => permission === name))) return known;
  throw invalid(field, `a list of ${S3_PERMISSIONS.join(", ")}`);
}

function bucketOf(name: string | null): string | null {
  if (name !== null && !isBucketName(name)) throw invalid("bucket", "the name of a bucket, or null");
  return name;
}

function invalid(field: string, wanted: string): Refusal {
  return new Refusal(422, "invalid_credential", `${field} has to be ${wanted}.`);
}
