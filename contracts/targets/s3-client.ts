import { Readable } from "node:stream";
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type { HttpRequest } from "@smithy/core/protocols";
import { createConnections, exchange, replyTooLong } from "./outgoing.ts";

/** What a store can make its client wait for and read. */
export interface StoreBounds {
  /** Wall-clock time of one request, including the connection. */
  readonly timeoutMs: number;
  /** Size of an object that is read. */
  readonly objectBytes: number;
}

const MAX_SOCKETS = 50;
/** Where only an error or a short reply is expected. Nothing longer is parsed. */
const SHORT_REPLY_BYTES = 65_536;
/** A list of a thousand keys of the maximum length. */
const LIST_BYTES = 2_097_152;

const SWITCH = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";

/**
 * Creates a client whose requests end and whose replies are bounded, without the warning of the SDK that its later versions do not
 * run on Node 20: our version is pinned and does. The variable is restored, since child processes of the user inherit it.
 */
export async function openS3Client(settings: S3ClientConfig, bounds: StoreBounds): Promise<S3Client> {
  const [{ S3Client }, requestHandler] = await Promise.all([
    import("@aws-sdk/client-s3"),
    requestHandlerWithin(bounds),
  ]);
  const before = process.env[SWITCH];
  process.env[SWITCH] = "true";
  try {
    return new S3Client({ ...settings, requestHandler });
  } finally {
    if (before === undefined) delete process.env[SWITCH];
    else process.env[SWITCH] = before;
  }
}

/** The transport of clients of the AWS SDK, in place of its own, which leaves both to the server. */
export async function requestHandlerWithin({ timeoutMs, objectBytes }: StoreBounds) {
  const { buildQueryString, HttpResponse } = await import("@smithy/core/protocols");
  const connections = createConnections(MAX_SOCKETS);
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request: HttpRequest) {
      const { protocol, hostname, port, path, method, headers, body } = request;
      const query = buildQueryString(request.query);
      const maxBytes = maxBytesOf(request, objectBytes);
      const reply = await exchange({
        url: new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`),
        path: query === "" ? path : `${path}?${query}`,
        ...{ method, headers, body, connections },
        bounds: {
          replyMs: timeoutMs,
          replyBytes: (status) => (status < 300 ? maxBytes : SHORT_REPLY_BYTES),
        },
      });
      if (reply.isCut && reply.status < 300) throw replyTooLong(maxBytes);
      const response = new HttpResponse({
        statusCode: reply.status,
        headers: reply.headers,
        // The beginning of an error is not parsed. Its status still says what it is.
        body: Readable.from(reply.isCut || reply.body.length === 0 ? [] : [reply.body]),
      });
      return { response };
    },
    destroy: connections.close,
  };
}

function maxBytesOf({ method, query }: HttpRequest, objectBytes: number): number {
  if (query["x-id"] === "GetObject") return objectBytes;
  const isList = method === "GET" && ("list-type" in query || "uploads" in query);
  return isList ? LIST_BYTES : SHORT_REPLY_BYTES;
}
