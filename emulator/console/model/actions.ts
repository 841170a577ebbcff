import { signal } from "@preact/signals";
import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply, NoReply, requestJson } from "../../client/send.ts";
import { sendHere } from "./client.ts";
import { now, readClock } from "./clock.ts";
import { isReadOnly } from "./token.ts";

/** A request as any client could send it. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the address of the world on. */
  readonly path: string;
  readonly body?: unknown;
  /** The name of the file that is the body, in place of JSON. */
  readonly file?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call that was carried out by hand: the tray keeps it for a scenario. */
export interface Done {
  readonly label: string;
  readonly call: Call;
  /** Virtual time (ms) before it. */
  readonly at: number;
}

/** The result of the last action, also for screen readers. */
export interface Outcome {
  readonly label: string;
  readonly call: Call;
  readonly error: string | null;
}

const KEY = "emulator-console-tray";
const KEPT = 500;

export const tray = signal<readonly Done[]>(storedTray());
export const outcome = signal<Outcome | null>(null);
/** The label of the action that is under way. */
export const underWay = signal<string | null>(null);

/** An operation of the control API as a call. */
export function control(method: Call["method"], path: string, body?: unknown): Call {
  return { method, path: CONTROL_PATH + path, ...(body !== undefined && { body }) };
}

/** Carries a call out and puts it into the tray; undefined when it was refused, which is shown. */
export async function perform<T = unknown>(
  label: string,
  call: Call,
  send: () => Promise<T> = () => requestJson(sendHere, call),
): Promise<T | undefined> {
  const at = now.value;
  underWay.value = label;
  try {
    const reply = await send();
    keep([...tray.value, { label, call, at }].slice(-KEPT));
    outcome.value = { label, call, error: null };
    return reply;
  } catch (error) {
    outcome.value = { label, call, error: explained(error) };
    return undefined;
  } finally {
    underWay.value = null;
    void readClock();
  }
}

/** Why something failed and what to do, in words. */
export function explained(error: unknown): string {
  if (error instanceof NoReply) return "The emulator does not answer.";
  if (!(error instanceof ErrorReply)) return String(error);
  if (error.code === "console_read_only") isReadOnly.value = true;
  return error.message;
}

export function dropFromTray(index: number): void {
  keep(tray.value.filter((_, at) => at !== index));
}

export function emptyTray(): void {
  keep([]);
}

/** The tray outlives a reload of the page, and ends with its tab. */
function keep(next: readonly Done[]): void {
  tray.value = next;
  sessionStorage.setItem(KEY, JSON.stringify(next));
}

function storedTray(): readonly Done[] {
  return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as readonly Done[];
}
