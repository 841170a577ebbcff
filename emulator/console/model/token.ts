import { signal } from "@preact/signals";

const KEY = "emulator-console-token";
const IN_ADDRESS = /^#token=([0-9a-f]+)$/;

/** The token with which this page may write. Removes it from the address bar, so that no copied address contains it. */
function takeToken(): string | null {
  const newToken = IN_ADDRESS.exec(window.location.hash)?.[1];
  if (newToken !== undefined) {
    sessionStorage.setItem(KEY, newToken);
    history.replaceState(null, "", "#/time");
  }
  return sessionStorage.getItem(KEY);
}

export const token = takeToken();

/** Whether the emulator requires a token for writes that this page does not have. */
export const isReadOnly = signal(false);
