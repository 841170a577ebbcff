import { signal } from "@preact/signals";
import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply, NoReply, requestJson } from "../../client/send.ts";
import { sendHere } from "./client.ts";
import { now, readClock } from "./clock.ts";
import { isReadOnly } from "./token.ts";

/** A request that any client could send. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the address of the world. */
  readonly path: string;
  readonly body?: unknown;
  /** The name of the file that is the body, in place of JSON. */
  readonly file?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call that the user made. The tray can save it as a step of a scenario. */
export interface PerformedAction {
  readonly label: string;
  readonly call: Call;
  /** Virtual time (ms) before the call. */
  readonly at: number;
}

/** The result of the last action, also for screen readers. */
export interface Outcome {
  readonly label: string;
  readonly call: Call;
  readonly error: string | null;
}

const KEY = "emulator-console-tray";
const MAX_TRAY_ACTIONS = 500;

export const tray = signal<readonly PerformedAction[]>(readTray());
export const outcome = signal<Outcome | null>(null);
/** The label of the running action. */
export const runningAction = signal<string | null>(null);

/** An operation of the control API as a call. */
export function control(method: Call["method"], path: string, body?: unknown): Call {
  return { method, path: CONTROL_PATH + path, ...(body !== undefined && { body }) };
}

/** Sends a call and adds it to the tray. Returns undefined if it was refused; `outcome` has the error. */
export async function perform<T = unknown>(
  label: string,
  call: Call,
  send: () => Promise<T> = () => requestJson(sendHere, call),
): Promise<T | undefined> {
  const at = now.value;
  runningAction.value = label;
  try {
    const reply = await send();
    saveTray([...tray.value, { label, call, at }].slice(-MAX_TRAY_ACTIONS));
    outcome.value = { label, call, error: null };
    return reply;
  } catch (error) {
    outcome.value = { label, call, error: errorText(error) };
    return undefined;
  } finally {
    runningAction.value = null;
    void readClock();
  }
}

/** The message of an error: the reason, and what to do next. */
export function errorText(error: unknown): string {
  if (error instanceof NoReply) return "The emulator does not answer.";
  if (!(error instanceof ErrorReply)) return String(error);
  if (error.code === "console_read_only") isReadOnly.value = true;
  return error.message;
}

export function removeFromTray(index: number): void {
  saveTray(tray.value.filter((_, at) => at !== index));
}

export function clearTray(): void {
  saveTray([]);
}

/** The tray survives a reload of the page, until its tab is closed. */
function saveTray(next: readonly PerformedAction[]): void {
  tray.value = next;
  sessionStorage.setItem(KEY, JSON.stringify(next));
}

function readTray(): readonly PerformedAction[] {
  return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as readonly PerformedAction[];
}
