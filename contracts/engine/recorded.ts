import type { Region } from "./http-message.ts";

/** A recorded request and reply: from a proxy, a test or a log. */
export interface RecordedExchange {
  readonly method: string;
  /** A URL, or a path with its query. */
  readonly url: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** JSON values are serialised; strings are taken unchanged. */
  readonly requestBody?: unknown;
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly region?: Region;
}

/** A reply without its request, which must be given separately. */
export interface RecordedReply {
  readonly status: number;
  readonly headers?: Headers | Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A line of `GET /_emulator/v1/recording`. */
export interface RecordingLine {
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null when not text or too long to keep. */
  readonly body: string | null;
  readonly status: number;
  /** Null when streamed or too long to keep. */
  readonly reply: string | null;
}

/** The replies that can be checked. */
export type CheckableReply = Response | RecordedExchange | RecordedReply | RecordingLine;

/** The request, if the reply does not contain it. */
export interface ContractQuestion {
  /** GET by default. */
  readonly method?: string;
  /** The path with its query; `url` takes the whole URL instead. */
  readonly path?: string;
  readonly url?: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
}

/** Completes the exchange; rejects with what is missing. */
export async function exchangeIn(
  reply: CheckableReply,
  question: ContractQuestion,
): Promise<RecordedExchange> {
  if (typeof (reply as { readonly then?: unknown }).then === "function")
    throw new Error("The value is a promise, not a reply. Use `await` first.");
  const exchange = await partsOf(reply);
  const { method = exchange.method ?? "GET", path, requestHeaders, requestBody } = question;
  const url = question.url ?? path ?? exchange.url;
  if (typeof exchange.status !== "number")
    throw new Error("The value is not a reply. Pass a Response, { status, headers, body } or an exchange.");
  if (!url)
    throw new Error(
      'The request of this reply is unknown. Pass it, for example { method: "POST", path: "/threads" }.',
    );
  return {
    ...exchange,
    status: exchange.status,
    method,
    url,
    ...(requestHeaders && { requestHeaders }),
    ...(requestBody !== undefined && { requestBody }),
  };
}

async function partsOf(reply: CheckableReply): Promise<Partial<RecordedExchange>> {
  if (reply instanceof Response) return ofResponse(reply);
  if (isLine(reply)) return ofLine(reply);
  const { headers } = reply;
  return headers instanceof Headers ? { ...reply, headers: Object.fromEntries(headers) } : (reply as object);
}

/** Reads the body from a clone, so that the test can still read it; not of streams, which may never end. */
async function ofResponse(response: Response): Promise<Partial<RecordedExchange>> {
  const { url, status, headers } = response;
  if (response.bodyUsed)
    throw new Error(
      "The body of the response has already been read. Match the response first, or pass { status, headers, body }.",
    );
  const isStream = headers.get("content-type")?.startsWith("text/event-stream");
  const body = isStream ? {} : { body: await response.clone().text() };
  // A reply of an emulator in this process says what it answers.
  const { asked } = response as Response & { readonly asked?: Partial<RecordedExchange> };
  return { ...asked, ...(url && { url }), status, headers: Object.fromEntries(headers), ...body };
}

function isLine(reply: RecordedExchange | RecordedReply | RecordingLine): reply is RecordingLine {
  return "reply" in reply && "path" in reply;
}

function ofLine({ region, method, path, query, headers, body, status, reply }: RecordingLine) {
  if (reply === null)
    throw new Error(
      `The recording has no body for the reply to ${method} ${path}, because it was streamed or too long.`,
    );
  return {
    region: region === "eu" ? "eu" : "us",
    method,
    url: query === "" ? path : `${path}?${query}`,
    requestHeaders: headers,
    ...(body !== null && { requestBody: body }),
    status,
    body: reply,
  } as const;
}
