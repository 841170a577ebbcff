import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";

/** §2.4: a bucket that exports are written to. */
export interface Destination extends Workspace {
  readonly id: string;
  readonly destination_type: "s3";
  readonly display_name: string;
  readonly config: DestinationConfig;
  /** Decided at creation; a later start on other ports does not change it. */
  readonly embedded: boolean;
  /** Sealed JSON of the credentials; null without: those of the environment (§2.4-4), or a role. */
  readonly credentials: string | null;
  /** Names of the credentials that were set. */
  readonly credentials_keys: readonly string[];
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

/** §2.4: the location of an export's files; contains no secrets. */
export interface DestinationConfig {
  readonly bucket_name: string;
  readonly prefix: string;
  readonly region: string | null;
  readonly endpoint_url: string | null;
  readonly include_bucket_in_prefix: boolean;
  /** Present if a role opens the bucket. */
  readonly aws_role_arn?: string;
}

/** Destinations by workspace, oldest first. */
export const DESTINATIONS = collection<Destination>("destinations", (record) => record.id, workspaceKey);
