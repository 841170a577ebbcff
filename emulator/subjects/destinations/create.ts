import { DESTINATION_ERRORS } from "../../../contracts/spec/failures.ts";
import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import type { PendingReply } from "../../kernel/turn.ts";
import type { INTERRUPTED } from "../../kernel/types.ts";
import { triggerS3Fault } from "../faults/trigger-fault.ts";
import type { StagedWrite } from "../object-storage/staged.ts";
import { removeStored, storeStaged } from "../object-storage/writer.ts";
import type { Settings } from "../settings.ts";
import type { Effect, Result, Turn } from "../turn.ts";
import { requireFeature } from "../versions.ts";
import type { Workspace } from "../workspace.ts";
import type { ObjectStoreFailure } from "./object-store-client.ts";
import { DESTINATIONS, type Destination, type DestinationConfig } from "./records.ts";
import { shownFailure, validationError } from "./store-failure.ts";
import { destinationView } from "./view.ts";

type DestinationInput = BodyOf<"createBulkExportDestination">;

/** §4.2: creates a destination once the test write has succeeded; the reply is deferred until then. */
export function createDestination(turn: Turn, workspace: Workspace, input: DestinationInput): PendingReply {
  const { settings } = turn.ports;
  const config = configOf(settings, input.config);
  checkAccess(settings, input);
  const destination: Destination = {
    ...workspace,
    id: turn.nextId("destination"),
    destination_type: input.destination_type,
    display_name: input.display_name,
    config,
    embedded: turn.ports.isEmbedded(config.endpoint_url),
    ...sealCredentials(turn, input.credentials),
    created_at: turn.now,
    updated_at: turn.now,
  };
  return validate(turn, destination);
}

/** Replaces the credentials or the role once a test write with the new ones has succeeded (§4.2). */
export function changeAccess(
  turn: Turn,
  before: Destination,
  input: BodyOf<"rotateDestinationCredentials">,
): PendingReply {
  if (!input.credentials && !input.config)
    throw invalidAccess("body.credentials: is required, or config.aws_role_arn. Set one of the two.");
  checkAccess(turn.ports.settings, input);
  const { aws_role_arn: _, ...config } = before.config;
  return validate(turn, {
    ...before,
    config: { ...config, ...(input.config && { aws_role_arn: input.config.aws_role_arn }) },
    ...sealCredentials(turn, input.credentials),
    updated_at: turn.now,
  });
}

function validate(turn: Turn, destination: Destination): PendingReply {
  const pendingReply = turn.deferReply();
  const { config, embedded, credentials } = destination;
  const key = testKey(turn.ports.settings, config, turn.nextId("test_file"));
  turn.requestEffect({
    kind: "destination.validate",
    ref: destination.id,
    lane: embedded ? "local" : `destination:${destination.id}`,
    data: {
      destination: { config, embedded, credentials },
      testKey: key,
      record: destination,
      replyNumber: pendingReply.number,
    },
  });
  return pendingReply;
}

/** Handles the result of `destination.validate`: stores the destination, or replies with the error of §7.2. */
export function onValidated(
  turn: Turn,
  { data: { record, testKey, replyNumber } }: Effect<"destination.validate">,
  result: Result<"destination.validate">,
): void {
  const outcome = "staged" in result ? tryTestFile(turn, record, testKey, result.staged) : result;
  if ("failure" in outcome) {
    turn.note("destination.refused", record.id, { failure: outcome.failure, message: outcome.message });
    const refusal =
      "unsupported" in outcome
        ? new Refusal(422, "unsupported_by_version", outcome.message)
        : refusalFor(turn.ports.settings, record.config, outcome);
    turn.resolveReply(replyNumber, refusal);
    return;
  }
  turn.put(DESTINATIONS, record);
  turn.note("destination.validated", record.id, { test_file: outcome.testFile });
  turn.resolveReply(replyNumber, destinationView(turn.ports.settings, record));
}

/** §2.4-5, 2.4-6: writes the test file, and deletes it if that is permitted. */
function tryTestFile(
  turn: Turn,
  { config }: Destination,
  key: string,
  { file, credentials }: StagedWrite,
): ObjectStoreFailure | { readonly testFile: "deleted" | "left" } {
  const writer = { bucket: config.bucket_name, credentials, triggerFault: triggerS3Fault };
  const failure = storeStaged(turn, writer, key, file);
  if (failure) return failure;
  return { testFile: "failure" in removeStored(turn, writer, key) ? "left" : "deleted" };
}

function refusalFor(
  { assumptions }: Settings,
  { endpoint_url }: DestinationConfig,
  failure: ObjectStoreFailure | typeof INTERRUPTED,
): Refusal {
  const outcome =
    "code" in failure ? failure : ({ ...failure, failure: "unavailable", code: "Interrupted" } as const);
  const prefix = String(assumptions["destination.error_prefix"]);
  const key = validationError(outcome, endpoint_url !== null);
  if (key) {
    const text = `${DESTINATION_ERRORS[key].message} (${outcome.message})`;
    const { requirement } = DESTINATION_ERRORS[key];
    return new Refusal(400, key, `${prefix}${text}`, undefined, requirement);
  }
  const hint =
    "The cause is in the object store (`emulator fault list` lists armed faults). Create the destination again when it is fixed.";
  const message = `${prefix}${shownFailure(outcome).replace(/\.$/, "")}.`;
  return new Refusal(400, outcome.failure, message, hint, "2.4-5");
}

function configOf(settings: Settings, input: DestinationInput["config"]): DestinationConfig {
  const endpoint_url = input.endpoint_url ?? null;
  const region = input.region ?? null;
  if (endpoint_url === null && region === null)
    throw new Refusal(
      422,
      "missing_region",
      "body.config.region: is required for AWS-style storage (no endpoint_url); S3-compatible storage needs endpoint_url instead (§2.4).",
      undefined,
      "2.4-12",
    );
  return {
    bucket_name: input.bucket_name,
    prefix: input.prefix,
    region,
    endpoint_url,
    include_bucket_in_prefix:
      input.include_bucket_in_prefix ??
      settings.assumptions["destination.include_bucket_in_prefix_default"] === true,
    ...(input.aws_role_arn != null && { aws_role_arn: input.aws_role_arn }),
  };
}

function checkAccess(
  { deployment, versions }: Settings,
  { credentials, config }: BodyOf<"rotateDestinationCredentials"> | DestinationInput,
): void {
  const role = config?.aws_role_arn;
  if (credentials && role != null)
    throw invalidAccess("body.config.aws_role_arn: excludes credentials. Remove one of the two.");
  if (!credentials && role == null && deployment === "hosted")
    throw new Refusal(
      422,
      "missing_credentials",
      "body.credentials: is required; only self-hosted deployments resolve credentials from the environment (§2.4).",
      undefined,
      "2.4-4",
    );
  if (credentials?.session_token) requireFeature(versions, "session_token");
}

function invalidAccess(message: string): Refusal {
  return invalidRequest(message, undefined, "2.4-2");
}

function sealCredentials(
  turn: Turn,
  credentials: DestinationInput["credentials"],
): Pick<Destination, "credentials" | "credentials_keys"> {
  if (!credentials) return { credentials: null, credentials_keys: [] };
  const input = Object.entries(credentials).filter(([, value]) => value !== null && value !== undefined);
  return {
    credentials: turn.ports.secrets.seal(JSON.stringify(Object.fromEntries(input))),
    credentials_keys: input.map(([name]) => name),
  };
}

/** Key of the test file (§2.4-6): `tmp/…` at the bucket's root, or under the prefix as observed. */
function testKey({ assumptions }: Settings, { prefix }: DestinationConfig, id: string): string {
  const name = `tmp/${id}.txt`;
  const root = prefix.replace(/^\/+|\/+$/g, "");
  return assumptions["destination.test_file_key"] === "tmp/" || root === "" ? name : `${root}/${name}`;
}
