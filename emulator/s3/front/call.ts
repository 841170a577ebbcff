import type { IncomingMessage } from "node:http";
import type { OpenedBody } from "../../storage/objects/opened-body.ts";
import type { AccessRequest } from "../../subjects/object-storage/authorisation.ts";
import { missingObject } from "../../subjects/object-storage/authorisation.ts";
import type { S3Failure } from "../../subjects/object-storage/errors.ts";
import type { StoredObject } from "../../subjects/object-storage/records.ts";
import { objectId, objects } from "../../subjects/object-storage/records.ts";
import type { Turn } from "../../subjects/turn.ts";
import { causeOf, type ObjectStore } from "../object-store.ts";
import { orRefuse } from "./refused.ts";
import type { Signature } from "./signature.ts";
import type { Target } from "./target.ts";

/** An admitted request. */
export interface Call {
  readonly store: ObjectStore;
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly signature: Signature;
  readonly claim: AccessRequest;
  /** Throws when the disk has too little free space for this many bytes. */
  readonly requireRoom: (bytes: number) => void;
}

/** The response of an operation. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly xml?: string;
  readonly body?: OpenedBody & { readonly start: number; readonly length: number };
}

/** Carries out an operation. Throws `S3Refused` when it is refused. */
export type Handler = (call: Call) => Promise<Reply> | Reply;

/** Runs a turn of the call's world; throws a failure after the turn. */
export function commit<R>({ store, claim }: Call, act: (turn: Turn) => S3Failure | R): R {
  return orRefuse(store.world.turn(causeOf(claim), act));
}

/** The object of the call. */
export function objectOf({ store, claim }: Call): StoredObject {
  const { reader } = store.world;
  const object = reader.get(objects, objectId(claim.bucket, claim.key));
  return orRefuse(object ?? missingObject(reader, claim));
}

/** A request as the client sent it. */
export type SentRequest = Pick<Call, "request" | "target">;

/** A header as text. Presigned URLs have headers of S3 in the query. */
export function headerOf({ request, target }: SentRequest, name: string): string | undefined {
  const value = request.headers[name];
  if (value === undefined) return name.startsWith(OWN_HEADER) ? target.query.get(name) : undefined;
  return String(value);
}

/** The names of all headers, including those in the query of a presigned URL. */
export function headerNames({ request, target }: SentRequest): readonly string[] {
  const hoisted = [...target.query.keys()].filter((name) => name.startsWith(OWN_HEADER));
  return [...new Set([...Object.keys(request.headers), ...hoisted])];
}

const OWN_HEADER = "x-amz-";
