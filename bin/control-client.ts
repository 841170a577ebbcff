import { CommandFailure } from "./command.ts";

/** A reply; the body is the JSON value, or the text when it is none. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** Calls a running emulator as any user would; undefined when nothing answers there. */
export async function tryCall(url: string, path: string, call: Call = {}): Promise<Answer | undefined> {
  const { method = "GET", body, headers = {}, timeoutMs = TIMEOUT_MS } = call;
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: parsed(await response.text()) };
  } catch (error) {
    if (error instanceof TypeError || (error as Error).name === "TimeoutError") return undefined;
    throw error;
  }
}

/** Calls a running emulator and expects a success. */
export async function callControl<T>(url: string, path: string, call: Call = {}): Promise<T> {
  const answer = await tryCall(url, path, call);
  if (answer === undefined)
    throw new CommandFailure(
      `${url}: nothing answers there; start it with \`emulator start\`, or name it with --url`,
    );
  if (answer.status >= 400)
    throw new CommandFailure(`${call.method ?? "GET"} ${path}: ${answer.status} ${reasonOf(answer.body)}`);
  return answer.body as T;
}

/** What an error reply says, in the control surface's shape, the platform's or any other. */
function reasonOf(body: unknown): string {
  const { error, detail } = (body ?? {}) as {
    error?: { message?: string; hint?: string };
    detail?: unknown;
  };
  const { message, hint } = error ?? {};
  if (message !== undefined && hint !== undefined)
    return `${message}${message.endsWith(".") ? "" : ";"} ${hint}`;
  if (message !== undefined) return message;
  return typeof detail === "string" ? detail : JSON.stringify(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
