import { signal } from "@preact/signals";
import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply, NoReply, requestJson } from "../../client/send.ts";
import { sendHere } from "./client.ts";
import { now, readClock } from "./clock.ts";
import { reconnect, revision } from "./live.ts";
import { actionCount, dropLooksAfter, isActing } from "./looks.ts";
import { readEagerly } from "./resource.ts";
import { isReadOnly } from "./token.ts";
import { planUndo, replacesHistory, type Undo } from "./undo.ts";
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

/** A call that the user made. The tray can save it as a step of a scenario. */
export interface PerformedAction {
  readonly label: string;
  readonly call: Call;
  /** Virtual time (ms) before the call. */
  readonly at: number;
  /** How to undo it; null if that is impossible. */
  readonly undo: Undo | null;
}

/** The result of the last action, also for screen readers. */
export interface Outcome {
  readonly label: string;
  readonly call: Call;
  readonly error: string | null;
  /** The reply, from which the message reports what happened. */
  readonly reply?: unknown;
  /** The action in the tray; null for one that was refused or undone. */
  readonly action: PerformedAction | null;
}

/** The question whether to send an action that cannot be undone. */
export interface Confirmation {
  readonly label: string;
  readonly reason: string;
  readonly answer: (isConfirmed: boolean) => void;
}

const KEY = "emulator-console-tray";
const MAX_TRAY_ACTIONS = 500;

export const tray = signal<readonly PerformedAction[]>(readTray());
actionCount.value = tray.value.length;
export const outcome = signal<Outcome | null>(null);
export const confirmation = signal<Confirmation | null>(null);
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
  return run(label, call, async () => {
    const at = now.value;
    const undo = await planUndo(call).catch((error) => confirmed(label, errorText(error)));
    if (undo === "kept") return undefined;
    const reply = await send();
    const action = { label, call, at, undo };
    const before = replacesHistory(call.path) ? tray.value.map(withoutUndo) : tray.value;
    saveTray([...before, action].slice(-MAX_TRAY_ACTIONS));
    outcome.value = { label, call, error: null, reply, action };
    return reply;
  });
}

/** Restores the state before an action of the tray, which also undoes the later ones. */
export async function undo({ label: undone, undo: plan }: PerformedAction, index: number): Promise<void> {
  if (!plan) return;
  const [label, call] = [`Undo: ${undone}`, control("POST", plan.path, plan.body)];
  await run(label, call, async () => {
    await requestJson(sendHere, call);
    saveTray(tray.value.slice(0, index));
    outcome.value = { label, call, error: null, action: null };
    if (plan.world === worldName) reconnect();
    revision.value += 1;
  });
}

/** Runs one action at a time. Returns undefined if it was refused; `outcome` has the error. */
async function run<T>(label: string, call: Call, act: () => Promise<T>): Promise<T | undefined> {
  runningAction.value = label;
  isActing.value = true;
  try {
    return await act();
  } catch (error) {
    outcome.value = { label, call, error: errorText(error), action: null };
    return undefined;
  } finally {
    runningAction.value = null;
    isActing.value = false;
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

function withoutUndo(action: PerformedAction): PerformedAction {
  return { ...action, undo: null };
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
  actionCount.value = next.length;
  dropLooksAfter(next.length);
  sessionStorage.setItem(KEY, JSON.stringify(next));
}

function readTray(): readonly PerformedAction[] {
  return JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as readonly PerformedAction[];
}
