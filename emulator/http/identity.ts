import type { Operation } from "../../contracts/spec/operation.ts";
import { Refusal } from "../kernel/refusal.ts";
import { DEFAULT_API_KEY, DEFAULT_TENANT_ID, isGoodIn } from "../subjects/auth.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { AuthSettings, ConfiguredKey, Settings } from "../subjects/settings.ts";

/** The caller of a request: key, user, address and workspace (§5). */
export interface Caller {
  readonly apiKey: string | undefined;
  readonly userId: string | undefined;
  readonly address: string;
  readonly region: string;
  /** The named workspace, as written. */
  readonly requestedTenant: string | undefined;
}

/** Reads the caller from the headers; an empty header counts as absent. */
export function identify({ headers, address, region }: HttpRequest): Caller {
  return {
    apiKey: headers["x-api-key"] || undefined,
    userId: headers["x-user-id"] || undefined,
    requestedTenant: headers["x-tenant-id"] || undefined,
    address,
    region,
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The workspace of a call, empty where none is needed, or the refusal (§5-1, 5-6). */
export function workspaceOf(
  caller: Caller,
  settings: Pick<Settings, "auth" | "assumptions">,
  workspaceRule: Operation["workspace"],
): string {
  const { auth, assumptions } = settings;
  if (workspaceRule === "none") return "";
  if (!caller.apiKey && workspaceRule === "optional" && assumptions["agent.authentication"] === "optional") {
    if (auth.mode === "keys" || !caller.requestedTenant) return DEFAULT_TENANT_ID;
    return workspaceOf({ ...caller, apiKey: DEFAULT_API_KEY }, settings, "key");
  }
  const knownKey = auth.keys.find(
    (configuredKey) => configuredKey.key === caller.apiKey && isGoodIn(configuredKey, caller.region),
  );
  const isUser = caller.userId !== undefined && workspaceRule === "key" && auth.mode === "any";
  if (!knownKey) refuseUnknownCaller(caller, auth, isUser);
  const tenant = caller.requestedTenant?.toLowerCase();
  if (tenant === undefined && workspaceRule === "required")
    throw new Refusal(
      422,
      "missing_workspace",
      "The header X-Tenant-Id is missing: bulk-export calls require the id of the workspace (§5).",
      "GET /_emulator/v1/workspaces lists the ids.",
      "5-1",
    );
  if (tenant !== undefined && !UUID.test(tenant))
    throw new Refusal(422, "invalid_workspace", "X-Tenant-Id must be a uuid.");
  const tenantId = tenant ?? knownKey?.tenants[0] ?? DEFAULT_TENANT_ID;
  if (auth.mode === "keys" && knownKey) refuseForeignWorkspace(knownKey, tenantId);
  return tenantId;
}

function refuseForeignWorkspace({ tenants }: ConfiguredKey, tenantId: string): void {
  if (tenants.length > 0 && !tenants.includes(tenantId))
    throw new Refusal(
      403,
      "forbidden",
      "This key does not belong to that workspace.",
      "Use one of its workspaces, or add this one to its tenants under auth.keys.",
      "5-3",
    );
}

/** A key is unknown where only listed keys are accepted, and where it is listed for the other region (1-5). */
function refuseUnknownCaller({ apiKey }: Caller, { mode, keys }: AuthSettings, isUser: boolean): void {
  if (!apiKey && !isUser)
    throw new Refusal(
      401,
      "unauthorized",
      "X-API-Key is missing.",
      "Send any key, for example X-API-Key: emulator-key.",
      "5-7",
    );
  if (apiKey && (mode === "keys" || keys.some(({ key }) => key === apiKey)))
    throw new Refusal(
      401,
      "unauthorized",
      "X-API-Key is not a known key.",
      "List it under auth.keys of the configuration, with this region or without a region.",
      "5-1",
    );
}
