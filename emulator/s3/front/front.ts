import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { drainBody } from "../../http/server/body.ts";
import type { BrowserGuard } from "../../http/server/browser-guard.ts";
import { HISTORY_IS_READ_ONLY } from "../../kernel/as-of.ts";
import { refusalIn } from "../../kernel/system-refusal.ts";
import { StoreError } from "../../storage/store-error.ts";
import {
  type AccessRequest,
  admit,
  type Caller,
  identify,
  refOf,
} from "../../subjects/object-storage/authorisation.ts";
import { type S3Failure, s3Failure } from "../../subjects/object-storage/errors.ts";
import { keyError } from "../../subjects/object-storage/names.ts";
import { causeOf, type ObjectStore } from "../object-store.ts";
import type { Reply } from "./call.ts";
import { framingOf } from "./chunks.ts";
import { operationOf } from "./operations.ts";
import { orRefuse, refuse, S3Refused } from "./refused.ts";
import { errorReply, send } from "./reply.ts";
import { checkRequest } from "./request-checks.ts";
import { readSignature, type Signature } from "./signature.ts";
import { bucketOfHost, readTarget, splitTarget, type Target } from "./target.ts";

/** The store of a request, and the part of the path that names its world. */
export interface Resolved {
  readonly store: ObjectStore;
  /** Without a trailing slash; empty for the default world. */
  readonly basePath: string;
}

/** Options of the S3 server. */
export interface S3FrontOptions {
  /** Undefined when the address or the headers name a world that does not exist. */
  resolve(url: string, headers: IncomingHttpHeaders): Resolved | undefined | Promise<Resolved | undefined>;
  /** Throws a `Refusal` when the disk has too little free space for this many bytes. */
  readonly requireRoom?: (bytes: number) => void;
  /** Refuses requests from pages of other sites. */
  readonly guard?: BrowserGuard;
  /** Law 8: signatures and the `Date` header use the wall clock. */
  wallNow(): number;
  /** Host names for addresses of the form `<bucket>.<name>`. */
  readonly hostSuffixes?: readonly string[];
  /** Called with an unexpected error; the client gets 503. */
  onDefect?(error: unknown): void;
}

/** Methods that only read. */
const READING = new Set(["GET", "HEAD"]);
const historyIsReadOnly = () => refuse("MethodNotAllowed", HISTORY_IS_READ_ONLY);

export type S3Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** The S3 server's request listener: identity, faults and permissions first, then the operation. */
export function createS3Front(options: S3FrontOptions): S3Listener {
  const { hostSuffixes = ["localhost"], requireRoom = () => undefined } = options;
  let served = 0;

  async function answer(request: IncomingMessage): Promise<Reply | "reset"> {
    refuseForeign(options.guard, request);
    const { store, basePath } = await resolve(options, hostSuffixes, request);
    const target = readTarget(request.url ?? "/", request.headers.host ?? "", basePath, hostSuffixes);
    if (target.bucket === "" && target.key !== "") throw refuse("InvalidBucketName");
    const signature = readSignature(request, target, options.wallNow());
    framingOf(signature.payload);
    const operation = operationOf(request.method ?? "", { request, target });
    if ("unknown" in operation) throw notImplemented(operation.unknown, store, callerOf(target, signature));
    if (!READING.has(request.method ?? "")) store.world.requireLive(historyIsReadOnly);
    const claim: AccessRequest = { ...callerOf(target, signature), op: operation.op };
    if ((await admitted(store, claim)) === "reset") return "reset";
    const call = { store, request, target, signature, claim, requireRoom };
    checkRequest(call);
    return await operation.handler(call);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    served += 1;
    response.setHeader("x-amz-request-id", served.toString(16).toUpperCase().padStart(16, "0"));
    response.setHeader("date", new Date(options.wallNow()).toUTCString());
    let reply: Reply | "reset";
    try {
      reply = await answer(request);
    } catch (error) {
      await drainBody(request);
      // A client that disconnected gets no response, and is not a defect.
      const isDisconnected = request.destroyed && !request.complete;
      const failure = failureOf(error);
      if (!failure && !isDisconnected) options.onDefect?.(error);
      const { rawPath } = splitTarget(request.url ?? "/");
      reply = errorReply(
        failure ?? s3Failure("ServiceUnavailable", String(error)),
        rawPath,
        String(response.getHeader("x-amz-request-id")),
      );
    }
    if (reply === "reset") request.socket.destroy();
    else await send(reply, request, response);
  }

  return (request, response) => {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    serve(request, response).catch((error: unknown) => {
      options.onDefect?.(error);
      response.destroy();
    });
  };
}

/** With a bucket in the host name, `/w/…` is an ordinary key unless a world of that name exists. */
async function resolve(
  options: S3FrontOptions,
  hostSuffixes: readonly string[],
  { url = "/", headers }: IncomingMessage,
): Promise<Resolved> {
  const isHosted = bucketOfHost(headers.host ?? "", hostSuffixes) !== undefined;
  const resolved =
    (await options.resolve(url, headers)) ?? (isHosted ? await options.resolve("/", headers) : undefined);
  if (resolved) return resolved;
  throw refuse("InvalidURI", "The path or header names a world that does not exist.");
}

/** Checks the caller and triggers faults; throws a refusal, or resolves after the delay of a fault. */
async function admitted(store: ObjectStore, claim: AccessRequest): Promise<"admitted" | "reset"> {
  let delayed: Promise<void> | undefined;
  const admission = store.world.turn(causeOf(claim), (turn) => {
    const outcome = admit(turn, claim, store.triggerFault);
    const delayMs = "admitted" in outcome ? outcome.delayMs : 0;
    if (delayMs > 0) delayed = store.delays.begin(turn, claim.bucket, delayMs);
    return outcome;
  });
  if ("reset" in admission) return "reset";
  if (!("admitted" in admission)) throw new S3Refused(admission);
  await delayed;
  return "admitted";
}

function refuseForeign(guard: BrowserGuard | undefined, request: IncomingMessage): void {
  const { status, message, hint = "" } = guard?.refusalOf(request, "objects") ?? {};
  if (status !== undefined)
    throw refuse(status === 400 ? "InvalidRequest" : "AccessDenied", `${message} ${hint}`.trimEnd());
}

/** The error for the client; undefined for a defect. */
function failureOf(error: unknown): S3Failure | undefined {
  if (error instanceof S3Refused) return error.trouble;
  const refusal = refusalIn(error);
  if (!refusal || refusal.status >= 500) return undefined;
  const { status, code, message, hint } = refusal;
  if (error instanceof StoreError) return s3Failure("InvalidObjectState", `${message} ${hint}`);
  if (code === "disk_full") return s3Failure("ServiceUnavailable", `${message} ${hint}`);
  if (status === 429) return s3Failure("SlowDown", `${message} ${hint}`);
  return s3Failure(status === 400 ? "InvalidURI" : "OperationAborted", message);
}

/** Checks the caller first, so that a caller without access learns nothing about the store. */
function notImplemented(name: string, { world }: ObjectStore, caller: Caller): Error {
  const detail = { access_key_id: caller.access_key_id };
  const cause = { type: "object_storage", name, ref: refOf(caller), detail } as const;
  orRefuse(world.turn(cause, (turn) => identify(turn, caller)));
  return refuse("NotImplemented", `${name} is not implemented by this object store.`, { Operation: name });
}

function callerOf({ bucket, key }: Target, signature: Signature): Caller {
  const bad = key === "" ? undefined : keyError(key);
  orRefuse(bad);
  return {
    bucket,
    key,
    access_key_id: signature.accessKeyId,
    session_token: signature.sessionToken,
    isSignedWith: signature.isSignedWith,
  };
}
