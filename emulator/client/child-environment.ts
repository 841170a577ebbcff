import { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../subjects/auth.ts";
import { SEEDED_KEY } from "../subjects/object-storage/seed.ts";
import type { WorldAddresses } from "./views.ts";

/** What the variables of `childEnvironment` contain, for the help of commands. */
export const CHILD_VARIABLES =
  "EMULATOR_URL (US region), EMULATOR_EU_URL (EU region), EMULATOR_S3_URL (object store), EMULATOR_API_KEY, EMULATOR_TENANT_ID (workspace); for S3 clients AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_DEFAULT_REGION; for tracing and agent clients LANGSMITH_ENDPOINT, LANGSMITH_API_KEY and LANGGRAPH_API_URL";

/** Some clients read the first variable of a region, some the second. */
const REGION = "us-east-1";

/** Environment variables that point a program at an emulator instead of the hosted services. */
export function childEnvironment({ url, eu_url, s3_url }: WorldAddresses) {
  return {
    EMULATOR_URL: url,
    EMULATOR_EU_URL: eu_url,
    EMULATOR_S3_URL: s3_url,
    EMULATOR_API_KEY: DEFAULT_API_KEY,
    EMULATOR_TENANT_ID: DEFAULT_TENANT_ID,
    AWS_ENDPOINT_URL_S3: s3_url,
    AWS_ACCESS_KEY_ID: SEEDED_KEY.access_key_id,
    AWS_SECRET_ACCESS_KEY: SEEDED_KEY.secret_access_key,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    LANGSMITH_ENDPOINT: url,
    LANGSMITH_API_KEY: DEFAULT_API_KEY,
    LANGGRAPH_API_URL: url,
  };
}
