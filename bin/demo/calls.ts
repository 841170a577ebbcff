import { type ControlClient, createControlClient } from "../../emulator/client/control-client.ts";
import { requestJson, sendTo } from "../../emulator/client/send.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../../emulator/client/values.ts";

/** The HTTP client of the demo. */
export interface DemoCalls {
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
  readonly control: ControlClient;
}

const TIMEOUT_MS = 10 * 60_000;
const HEADERS = { "x-api-key": DEFAULT_API_KEY, "x-tenant-id": DEFAULT_TENANT_ID };

/** Calls the emulator at an address. */
export function demoCalls(url: string): DemoCalls {
  const send = sendTo(url, TIMEOUT_MS);
  return {
    api: (method, path, body) => requestJson(send, { method, path, body, headers: HEADERS }),
    control: createControlClient(send),
  };
}
