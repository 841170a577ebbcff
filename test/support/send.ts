import { HEADERS } from "./emulator.ts";

/** Sends a request with the key and the workspace of newcomers, and a body as JSON; reads the reply as JSON. */
export async function send<T = Record<string, unknown>>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: T }> {
  const reply = await fetch(url + path, {
    method,
    headers: HEADERS,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: (text ? JSON.parse(text) : undefined) as T };
}

/** Adds a thread. */
export async function addThread(url: string, metadata: object = {}) {
  return (await send<{ readonly thread_id: string }>(url, "POST", "/threads", { metadata })).body;
}

/** The number of threads. */
export async function countThreads(url: string, query = ""): Promise<number> {
  return (await send<number>(url, "POST", `/threads/count${query}`, {})).body;
}
