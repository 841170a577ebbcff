import { printExact } from "../../contracts/spec/exact-json.ts";
import type { RequirementId } from "../../contracts/spec/requirements.ts";
import { REQUIREMENT_HEADER } from "../subjects/control-prefix.ts";

/** The part of `RequestInit` that every transport to an emulator accepts. */
export interface ClientRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The part of a `Response` of the Fetch standard that clients read. */
export interface ClientReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Sends one request, by its path with its query, over the network or in this process. */
export type Send = (path: string, request: ClientRequest) => Promise<ClientReply>;

/** No reply was received, or not in time. */
export class NoReply extends Error {
  override readonly name = "NoReply";

  constructor(url: string) {
    super(`No emulator answers at ${url}. Start one with \`emulator start\`, or correct the address.`);
  }
}

/** A reply with a status of 400 or above. */
export class ErrorReply extends Error {
  override readonly name = "ErrorReply";
  readonly status: number;
  /** Like `hint` (the next step), only present in errors of the control API. */
  readonly code: string | undefined;
  readonly hint: string | undefined;
  /** The statement of the specification that requires the refusal; undefined for rules of the emulator. */
  readonly requirement: RequirementId | undefined;
  /** Method, path, status, and the reason in the reply. */
  readonly description: string;

  /** The message is the reason in the reply with its hint; without an error object, also the method and the path. */
  constructor(method: string, path: string, status: number, body: unknown, headers?: ClientReply["headers"]) {
    const { error, detail } = (body ?? {}) as ErrorBody;
    const description = `${method} ${path}: ${status} ${reasonOf(error, detail, body)}`;
    super(error === undefined ? description : reasonOf(error, detail, body));
    this.status = status;
    this.code = error?.code;
    this.hint = error?.hint;
    // Bodies of the API are those of the service, which has no such member.
    const requirementId = (headers?.get(REQUIREMENT_HEADER) ?? undefined) as RequirementId | undefined;
    this.requirement = error?.requirement ?? requirementId;
    this.description = description;
  }
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly hint?: string;
    readonly requirement?: RequirementId;
  };
  readonly detail?: unknown;
}

function reasonOf(error: ErrorBody["error"], detail: unknown, body: unknown): string {
  const { message, hint } = error ?? {};
  if (message !== undefined && hint !== undefined)
    return `${message}${message.endsWith(".") ? "" : ";"} ${hint}`;
  return message ?? (typeof detail === "string" ? detail : JSON.stringify(body));
}

/** Yields the values of a stream of JSON lines until it ends; throws `NoReply` and `ErrorReply`. */
export async function* followLines<T>(url: string, path: string, signal?: AbortSignal): AsyncGenerator<T> {
  const reply = await fetch(url + path, { signal: signal ?? null }).catch(() => {
    throw new NoReply(url);
  });
  if (!reply.ok || reply.body === null)
    throw new ErrorReply("GET", path, reply.status, valueOf(await reply.text(), null));
  let rest = "";
  for await (const chunk of reply.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Sends a value as JSON and reads the reply; throws `ErrorReply` for a status of 400 or above. */
export async function requestJson<T>(
  send: Send,
  { method, path, body, headers, parse }: JsonRequest,
): Promise<T> {
  const reply = await send(path, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: printExact(body) }),
  });
  const value = valueOf(await reply.text(), reply.headers.get("content-type"), parse);
  if (reply.status >= 400) throw new ErrorReply(method, path, reply.status, value, reply.headers);
  return value as T;
}

/** A request whose body is sent as JSON, where it has one. */
export interface JsonRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly parse?: ParseJson | undefined;
}

export type ParseJson = (text: string) => unknown;

/** A body as JSON; a list for lines of JSON, null for an empty body, otherwise its text. */
export function valueOf(text: string, contentType: string | null, parse: ParseJson = JSON.parse): unknown {
  try {
    if (contentType === "application/x-ndjson") return linesOf(text, parse);
    return text === "" ? null : parse(text);
  } catch {
    return text;
  }
}

/** The values of lines of JSON. */
export function linesOf(text: string, parse: ParseJson = JSON.parse): readonly unknown[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => parse(line));
}
