import type { Stage } from "../../storage/objects/stage.ts";
import type {
  ObjectStoreCredentials,
  ObjectStoreFailure,
} from "../../subjects/destinations/object-store-client.ts";
import { type AccessRequest, admit } from "../../subjects/object-storage/authorisation.ts";
import { isS3Failure, messageOf, S3_ERRORS, type S3Failure } from "../../subjects/object-storage/errors.ts";
import { keyError } from "../../subjects/object-storage/names.ts";
import type { S3Operation } from "../../subjects/object-storage/permissions.ts";
import type { BodyFile } from "../../subjects/object-storage/records.ts";
import type { Turn } from "../../subjects/turn.ts";
import { type BodyPlace, causeOf, type ObjectStore, publishBody } from "../object-store.ts";
import type { TransferLimits } from "./transport.ts";

/** Bodies up to this size are written in one synchronous go: the thread pool would take longer. */
const SYNCHRONOUS_BYTES = 256 * 1024;
const PIECE_BYTES = 1024 * 1024;

/** What each request to the embedded store consists of. */
export interface EmbeddedRequests {
  /** The turn that every request passes first, taken before anything is awaited: the order is the callers'. */
  admit(op: S3Operation, key: string): ObjectStoreFailure | AccessRequest;
  /** Writes a body, then keeps it in one turn. */
  storeBody<R>(
    claim: AccessRequest,
    place: BodyPlace,
    fill: (stage: Stage) => Promise<void> | void,
    act: (turn: Turn, body: BodyFile) => S3Failure | R,
  ): Promise<ObjectStoreFailure | R>;
}

/** Makes requests to one bucket with one key pair. */
export function createEmbeddedRequests(
  store: ObjectStore,
  bucket: string,
  credentials: ObjectStoreCredentials,
  limits: TransferLimits,
): EmbeddedRequests {
  return {
    admit: (op, key) => enter(store, claimOf(op, bucket, key, credentials), limits),
    async storeBody(claim, place, fill, act) {
      const stage = store.files.stage();
      try {
        const filled = fill(stage);
        if (filled) await filled;
        const value = publishBody(store, stage, { claim, place }, act);
        return isS3Failure(value) ? failureOf(value) : value;
      } catch (error) {
        stage.discard();
        return { failure: "unavailable", message: String(error) };
      }
    },
  };
}

/** What an export's objects carry besides their bytes. */
export const PLAIN = { content_type: "application/octet-stream", headers: {}, metadata: {} } as const;

function claimOf(
  op: S3Operation,
  bucket: string,
  key: string,
  credentials: ObjectStoreCredentials,
): AccessRequest {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  return {
    op,
    bucket,
    key,
    access_key_id: accessKeyId,
    session_token: sessionToken,
    isSignedWith: (secret) => secret === secretAccessKey,
  };
}

function enter(
  store: ObjectStore,
  claim: AccessRequest,
  { timeoutMs }: TransferLimits,
): ObjectStoreFailure | AccessRequest {
  const bad = claim.key === "" ? undefined : keyError(claim.key);
  if (bad) return failureOf(bad);
  const admission = store.world.turn(causeOf(claim), (turn) => admit(turn, claim, store.triggerFault));
  if ("error" in admission) return failureOf(admission);
  if ("reset" in admission) return { failure: "unavailable", message: "The connection was reset." };
  // An effect takes no virtual time, so a delay is either too long or not seen.
  if (admission.delayMs <= timeoutMs) return claim;
  return { failure: "unavailable", message: `The object store did not answer within ${timeoutMs} ms.` };
}

/** §7.2: the name under which a destination or an export reports a trouble. */
export function failureOf(why: S3Failure): ObjectStoreFailure {
  return { failure: S3_ERRORS[why.error].reportedAs, message: `${why.error}: ${messageOf(why)}` };
}

/** Writes a body that is in memory. */
export function fillStage(
  stage: Stage,
  bytes: Uint8Array,
  onPiece: (piece: Uint8Array) => void,
): Promise<void> | void {
  if (bytes.length > SYNCHRONOUS_BYTES) return fillInPieces(stage, bytes, onPiece);
  onPiece(bytes);
  stage.writeWhole(bytes);
}

async function fillInPieces(
  stage: Stage,
  bytes: Uint8Array,
  onPiece: (piece: Uint8Array) => void,
): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    onPiece(piece);
    await stage.write(piece);
  }
  await stage.close();
}
