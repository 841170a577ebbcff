import { Readable } from "node:stream";
import { BodyProblem, bodyTooLarge, decodeBody } from "../../http/server/body.ts";
import { takesStream } from "../../subjects/control-prefix.ts";
import type { HttpReply, HttpRequest } from "../../subjects/message.ts";

/** What answers a request without a socket. */
interface InProcessServer {
  readonly region: string;
  readonly maxBodyBytes: number;
  handle(request: HttpRequest): Promise<HttpReply>;
}

/** Answers a request of the Fetch standard in this process, streams included. */
export async function answerInProcess(server: InProcessServer, request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const receivedBody = takesStream(request.method, pathname)
    ? { body: NO_BODY, stream: chunksOf(request) }
    : await bodyOf(request, server.maxBodyBytes);
  const reply = await server.handle({
    region: server.region,
    method: request.method,
    path: pathname,
    query: search.slice(1),
    headers: { ...Object.fromEntries(request.headers), host },
    ...receivedBody,
    address: "127.0.0.1",
  });
  // Like fetch: a constructed response has no URL, which matchers need.
  return Object.defineProperties(responseOf(reply), {
    url: { value: request.url, configurable: true },
    asked: { value: requestFacts(request, receivedBody), configurable: true },
  });
}

const READABLE = /json|^text\//;

/** The facts about the request that a matcher needs to check its reply. */
export function requestFacts({ method, headers }: Request, { body }: Pick<HttpRequest, "body">) {
  const isReadable = body.length > 0 && READABLE.test(headers.get("content-type") ?? "");
  return {
    method,
    requestHeaders: Object.fromEntries(headers),
    ...(isReadable && { requestBody: new TextDecoder().decode(body) }),
  };
}

const NO_BODY = new Uint8Array(0);

async function* chunksOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body) yield* body;
}

type ReceivedBody = Pick<HttpRequest, "body" | "bodyProblem">;

/** The body as the gateway takes it, decompressed, or why it cannot be taken, as from a socket. */
async function bodyOf(request: Request, maxBodyBytes: number): Promise<ReceivedBody> {
  const body = new Uint8Array(await request.arrayBuffer());
  const encoding = request.headers.get("content-encoding");
  try {
    if (body.length > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
    if (encoding === null || body.length === 0) return { body };
    return { body: await decodeBody(Readable.from([body]), encoding, maxBodyBytes) };
  } catch (error) {
    if (!(error instanceof BodyProblem)) throw error;
    return { body: NO_BODY, bodyProblem: error };
  }
}

/** Statuses whose replies the standard forbids to have a body. */
const BODILESS = new Set([204, 205, 304]);

function responseOf({ status, headers, body, keepAlive }: HttpReply): Response {
  if (BODILESS.has(status)) return new Response(null, { status, headers });
  if (typeof body === "string") return new Response(body, { status, headers });
  if (body instanceof Uint8Array) return new Response(new Uint8Array(body), { status, headers });
  return new Response(streamOf(body, keepAlive), { status, headers });
}

/** Pulls as its reader reads; a reader who cancels ends the iteration, one that waits included. */
function streamOf(
  body: AsyncIterable<string | Uint8Array>,
  keepAlive: HttpReply["keepAlive"],
): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (keepAlive)
          heartbeat = setInterval(() => {
            if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(keepAlive.text));
          }, keepAlive.everyMs).unref();
      },
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (!done) return controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
          clearInterval(heartbeat);
          controller.close();
        } catch (error) {
          clearInterval(heartbeat);
          controller.error(error);
        }
      },
      async cancel() {
        clearInterval(heartbeat);
        await iterator.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}
