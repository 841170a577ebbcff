import { signal } from "@preact/signals";

const KEY = "emulator-console-api-key";

/** The API key for requests to the emulated API. The default is the key that the emulator's documentation uses. */
export const apiKey = signal(sessionStorage.getItem(KEY) ?? "emulator-key");

export function setApiKey(key: string): void {
  apiKey.value = key;
  sessionStorage.setItem(KEY, key);
}

/** The headers of a request to the emulated API, for one workspace. */
export function apiHeaders(tenantId: string): Readonly<Record<string, string>> {
  return { "x-api-key": apiKey.value, "x-tenant-id": tenantId };
}
