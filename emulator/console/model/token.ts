import { signal } from "@preact/signals";

const KEY = "emulator-console-token";
const IN_ADDRESS = /^#token=([0-9a-f]+)$/;

/** The token with which this page may write; it leaves the address bar, so that no copied address has it. */
function takeToken(): string | null {
  const given = IN_ADDRESS.exec(window.location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", "#/time");
  }
  return sessionStorage.getItem(KEY);
}

export const token = takeToken();

/** Whether the emulator takes writes of this page only with a token that the page does not have. */
export const isReadOnly = signal(false);
