import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import { hasNewerFeatures, type Settings } from "../settings.ts";
import { timeView } from "../views.ts";
import type { Destination } from "./records.ts";

/** A destination in wire form, without secrets (§2.4-2). */
export function destinationView(settings: Settings, record: Destination): ReplyBodyOf<"getDestination"> {
  const time = timeView(settings);
  const { id, tenant_id, destination_type, display_name, config, credentials_keys } = record;
  return {
    id,
    tenant_id,
    destination_type,
    display_name,
    config: hasNewerFeatures(settings) ? { aws_role_arn: null, ...config } : config,
    credentials_keys,
    created_at: time(record.created_at),
    updated_at: time(record.updated_at),
  };
}
