import { DEFAULT_API_KEY } from "../subjects/auth.ts";
import { SEEDED_KEY } from "../subjects/object-storage/seed.ts";
import type { WorldAddresses } from "./views.ts";

/** Environment variables that point a program at an emulator instead of the hosted services. */
export function childEnvironment({ url, eu_url, s3_url }: WorldAddresses): Readonly<Record<string, string>> {
  return {
    EMULATOR_URL: url,
    EMULATOR_EU_URL: eu_url,
    EMULATOR_S3_URL: s3_url,
    AWS_ENDPOINT_URL_S3: s3_url,
    AWS_ACCESS_KEY_ID: SEEDED_KEY.access_key_id,
    AWS_SECRET_ACCESS_KEY: SEEDED_KEY.secret_access_key,
    AWS_REGION: "us-east-1",
    LANGSMITH_ENDPOINT: url,
    LANGSMITH_API_KEY: DEFAULT_API_KEY,
    LANGGRAPH_API_URL: url,
  };
}
