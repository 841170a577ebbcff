import { signal } from "@preact/signals";
import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply, NoReply, requestJson } from "../../client/send.ts";
import { sendHere } from "./client.ts";
import { readClock } from "./clock.ts";
import { reconnect, revision } from "./live.ts";
import { readEagerly } from "./resource.ts";
import { isReadOnly } from "./token.ts";
import { planUndo, type Undo } from "./undo.ts";
import { worldName } from "./world-address.ts";

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

/** The result of the last action, also for screen readers. */
export interface Outcome {
  readonly label: string;
  readonly call: Call;
  readonly error: string | null;
  /** The reply, from which the message reports what happened. */
  readonly reply?: unknown;
  /** How to undo it; null if that is impossible. */
  readonly undo: Undo | null;
}

/** The question whether to send an action that cannot be undone. */
export interface Confirmation {
  readonly label: string;
  readonly reason: string;
  readonly answer: (isConfirmed: boolean) => void;
}

export const outcome = signal<Outcome | null>(null);
export const confirmation = signal<Confirmation | null>(null);
/** The label of the running action. */
export const runningAction = signal<string | null>(null);

/** An operation of the control API as a call. */
export function control(method: Call["method"], path: string, body?: unknown): Call {
  return { method, path: CONTROL_PATH + path, ...(body !== undefined && { body }) };
}

/** Sends a call. Returns undefined if it was refused; `outcome` has the error. */
export async function perform<T = unknown>(
  label: string,
  call: Call,
  send: () => Promise<T> = () => requestJson(sendHere, call),
): Promise<T | undefined> {
  return run(label, call, async () => {
    const undo = await planUndo(call).catch((error) => confirmed(label, errorText(error)));
    if (undo === "kept") return undefined;
    const reply = await send();
    outcome.value = { label, call, error: null, reply, undo };
    return reply;
  });
}

/** Restores the state before an action. */
export async function undo(undone: string, plan: Undo): Promise<void> {
  const [label, call] = [`Undo: ${undone}`, control("POST", plan.path, plan.body)];
  await run(label, call, async () => {
    await requestJson(sendHere, call);
    outcome.value = { label, call, error: null, undo: null };
    if (plan.world === worldName) reconnect();
    revision.value += 1;
  });
}

/** Runs one action at a time. Returns undefined if it was refused; `outcome` has the error. */
async function run<T>(label: string, call: Call, act: () => Promise<T>): Promise<T | undefined> {
  runningAction.value = label;
  try {
    return await act();
  } catch (error) {
    outcome.value = { label, call, error: errorText(error), undo: null };
    return undefined;
  } finally {
    runningAction.value = null;
    readEagerly();
    void readClock();
  }
}

/** Asks whether to send an action that cannot be undone: null to send it. */
async function confirmed(label: string, reason: string): Promise<null | "kept"> {
  const isConfirmed = await new Promise<boolean>((answer) => {
    confirmation.value = { label, reason, answer };
  });
  confirmation.value = null;
  return isConfirmed ? null : "kept";
}

/** The message of an error: the reason, and what to do next. */
export function errorText(error: unknown): string {
  if (error instanceof NoReply) return "The emulator does not answer.";
  if (!(error instanceof ErrorReply)) return String(error);
  if (error.code === "console_read_only") isReadOnly.value = true;
  return error.message;
}
