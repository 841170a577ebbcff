import { type CaseRow, suite } from "../engine/case.ts";
import { accepted, equal, isRefused, refused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import type { Members } from "../engine/json.ts";
import { BUCKET_IN_PREFIX, DESTINATION_REQUIRED } from "../facts/bulk-exports.ts";
import { GATES } from "../facts/versions.ts";
import {
  createDestination,
  DESTINATIONS,
  destinationBody,
  FILES,
  filesOf,
  prepare,
  runExport,
} from "./export-helpers.ts";

const WRITES = ["writes"] as const;
const BUCKET = "a bucket with write access (--s3 …); the server also refuses a valid destination";
const PERMISSIONS = ["writes", "store_keys", "object_store"] as const;

/** A body without one of its members, named by its path. */
function without(body: Members, path: string): Members {
  const [first = "", ...rest] = path.split(".");
  const { [first]: inner, ...others } = body;
  return rest.length === 0 ? others : { ...others, [first]: without(inner as Members, rest.join(".")) };
}

const createWithoutCredentials = (t: Contract) =>
  t.call("POST", DESTINATIONS, { body: without(destinationBody(t), "credentials") });

/** A key pair that only works together with its token. */
export async function temporaryPair(t: Contract): Promise<Members> {
  const access_key_id = `contract-${t.draw.word()}`;
  const secret_access_key = t.secret(t.draw.word(24));
  const session_token = t.secret(`token-${t.draw.word(24)}`);
  await t.control("POST", "/s3/credentials", { access_key_id, secret_access_key, session_token });
  return { access_key_id, secret_access_key, session_token };
}

/** A key pair of the environment that only works together with its token. */
const TEMPORARY = { access_key_id: "contract-environment", session_token: "contract-environment-token" };
const TEMPORARY_SECRET = "contract-environment-secret";

/** §2.4: temporary credentials need their version where the environment holds them, too. */
function environmentToken(service: string, application: string, isAccepted: boolean): CaseRow {
  const { access_key_id, session_token } = TEMPORARY;
  return {
    title: `temporary credentials of the environment are ${isAccepted ? "accepted" : "refused"} by service ${service}`,
    requirements: ["2.4-3"],
    needs: [...WRITES, "store_keys"],
    settings: {
      deployment: "self-hosted",
      versions: { service, application },
      environment: {
        AWS_ACCESS_KEY_ID: access_key_id,
        AWS_SECRET_ACCESS_KEY: TEMPORARY_SECRET,
        AWS_SESSION_TOKEN: session_token,
      },
    },
    async run(t) {
      const secret_access_key = t.secret(TEMPORARY_SECRET);
      await t.control("POST", "/s3/credentials", { ...TEMPORARY, secret_access_key });
      const { status } = await createWithoutCredentials(t);
      if (isAccepted) {
        t.fact("2.4-3", accepted(status), "the environment's temporary credentials are used");
        return;
      }
      t.fact("2.4-3", refused(status), "this version refuses temporary credentials of the environment");
      t.choice("destination.session_token_gate", equal(status, 422), "the reply is 422");
      const lasting = await createDestination(t);
      t.fact("2.4-3", accepted(lasting.status), "long-term credentials work in this version");
    },
  };
}

/** Ends the case where no bucket is at hand and the server refuses the one that was made up. */
function requireBucket(t: Contract, status: number): void {
  if (isRefused(status) && !t.has("object_store")) t.lack(BUCKET);
}

/** The keys of the embedded store, where the library looks for them first. */
const ENVIRONMENT_KEYS = { AWS_ACCESS_KEY_ID: "emulator", AWS_SECRET_ACCESS_KEY: "emulator-secret" };

export const DESTINATION_CASES = suite({
  "4.2/create": {
    title: "creating a destination returns an id",
    requirements: ["4.2-1", "2.4-2"],
    needs: WRITES,
    async run(t) {
      const secret = t.identity.bucket.secretAccessKey;
      const { status, body, text } = await createDestination(t);
      requireBucket(t, status);
      t.must("4.2-1", status < 300 && typeof body.id === "string", "the reply is an object with an id");
      t.choice("platform.success_status", equal(status, 200), "the status is 200");
      // A reply may have them masked: the oracle looks at their values.
      t.fact("2.4-2", !text.includes(secret), "credentials are not returned");
    },
  },
  "2.4/required-fields": {
    title: "each required field of a destination is required",
    requirements: ["2.4-1", "7-1"],
    needs: WRITES,
    async run(t) {
      const good = await createDestination(t);
      for (const path of DESTINATION_REQUIRED) {
        const body = without(destinationBody(t), path);
        const { status } = await t.call("POST", DESTINATIONS, { body });
        t.fact("2.4-1", refused(status), `${path} is required`);
        t.choice("platform.invalid_request", equal(status, 422), `the reply to a missing ${path} is 422`);
      }
      const none = await createDestination(t, { endpoint_url: undefined, region: undefined });
      t.fact("2.4-1", refused(none.status), "an AWS-style bucket without a region is refused");
      t.choice("destination.missing_region", equal(none.status, 422), "the reply is 422");
      requireBucket(t, good.status);
    },
  },
  "2.4/field-types": {
    title: "fields of a wrong type or value are refused",
    requirements: ["2.4-1"],
    needs: WRITES,
    async run(t) {
      const good = destinationBody(t);
      const validDestination = await createDestination(t);
      const config = good.config as Members;
      const wrong: Readonly<Record<string, Members>> = {
        "destination_type gcs": { destination_type: "gcs" },
        "a number as display_name": { display_name: 7 },
        "a string as include_bucket_in_prefix": { config: { ...config, include_bucket_in_prefix: "yes" } },
        "a number as bucket_name": { config: { ...config, bucket_name: 7 } },
        "null as prefix": { config: { ...config, prefix: null } },
      };
      for (const [description, more] of Object.entries(wrong)) {
        const { status } = await t.call("POST", DESTINATIONS, { body: { ...good, ...more } });
        t.fact("2.4-1", refused(status), `${description} is refused`);
      }
      requireBucket(t, validDestination.status);
    },
  },
  "2.4/region": {
    title: "an AWS-style bucket needs no endpoint_url",
    requirements: ["2.4-12"],
    needs: [...WRITES, "control"],
    async run(t) {
      const { status } = await createDestination(t, { endpoint_url: undefined, region: "us-east-1" });
      t.fact("2.4-12", accepted(status), "without endpoint_url, the region selects the store");
    },
  },
  "2.4/endpoint": {
    title: "an S3-compatible store is reached at its endpoint_url",
    requirements: ["2.4-11"],
    needs: PERMISSIONS,
    async run(t) {
      const { s3_url } = await t.control<{ s3_url: string }>("GET", "/status");
      const { status, body } = await createDestination(t, { endpoint_url: s3_url, region: undefined });
      t.must("2.4-11", accepted(status), "a store with the S3-compatible XML API is accepted");
      const prepared = await prepare(t);
      const completedExport = await runExport(t, { ...prepared, destinationId: body.id });
      t.fact("2.4-11", (await filesOf(t, completedExport.id)).length > 0, "the files are in that store");
    },
  },
  "2.4/include-bucket": {
    title: "include_bucket_in_prefix controls whether paths begin with the bucket",
    requirements: ["2.4-13", "2.4-1"],
    needs: FILES,
    async run(t) {
      const { name } = t.identity.bucket;
      const prefix = `led/${t.draw.word()}`;
      const defaultValue = t.chosen("destination.include_bucket_in_prefix_default");
      const byDefault = defaultValue === true || BUCKET_IN_PREFIX;
      for (const [configured, hasBucket] of [
        [true, true],
        [false, false],
        [undefined, byDefault],
      ] as const) {
        const config = { prefix: `${prefix}${String(configured)}`, include_bucket_in_prefix: configured };
        const { id } = await runExport(t, await prepare(t, { config, days: 1 }));
        const keys = await filesOf(t, id);
        const begin = hasBucket ? `${name}/${config.prefix}/` : `${config.prefix}/`;
        const holds = keys.length > 0 && keys.every((key) => key.startsWith(begin));
        t.fact(
          "2.4-13",
          holds,
          `include_bucket_in_prefix ${configured ?? "omitted"}: paths ${hasBucket ? "begin" : "do not begin"} with the bucket`,
          {
            expected: `${begin}…`,
            actual: keys[0],
          },
        );
        if (configured === undefined)
          t.fact("2.4-1", holds, `include_bucket_in_prefix is ${byDefault} by default`, {
            expected: `${begin}…`,
            actual: keys[0],
          });
      }
      const config = { prefix: `${name}/${prefix}`, include_bucket_in_prefix: true };
      const { id } = await runExport(t, await prepare(t, { config, days: 1 }));
      const [key = ""] = await filesOf(t, id);
      t.choice(
        "destination.bucket_in_prefix_spelling",
        !key.startsWith(`${name}/${name}/`),
        "the bucket is not in the path twice",
      );
    },
  },
  "2.4/hosted-credentials": {
    title: "a hosted deployment requires credentials",
    requirements: ["2.4-4"],
    needs: WRITES,
    async run(t) {
      const { status } = await createWithoutCredentials(t);
      if (accepted(status).holds && !t.has("control"))
        t.lack("a hosted deployment (a self-hosted deployment may accept this)");
      t.fact("2.4-4", refused(status), "credentials are required on the hosted deployment");
      t.choice("destination.missing_credentials", equal(status, 422), "the reply without credentials is 422");
    },
  },
  "2.4/hosted-environment": {
    title: "a hosted deployment does not use credentials of its environment",
    requirements: ["2.4-4"],
    needs: WRITES,
    settings: { environment: ENVIRONMENT_KEYS },
    async run(t) {
      const { status } = await createWithoutCredentials(t);
      t.fact("2.4-4", refused(status), "credentials are required even if the environment has some");
    },
  },
  "2.4/self-hosted-credentials": {
    title: "a self-hosted deployment uses credentials of its environment",
    requirements: ["2.4-4"],
    needs: WRITES,
    settings: {
      deployment: "self-hosted",
      environment: ENVIRONMENT_KEYS,
    },
    async run(t) {
      const { status } = await createWithoutCredentials(t);
      t.fact("2.4-4", accepted(status), "the environment's credentials are used");
    },
  },
  "2.4/session-token-new": {
    title: "a session token is accepted from service 0.10.34 on",
    requirements: ["2.4-3", "9-2"],
    needs: [...WRITES, "store_keys"],
    settings: { versions: GATES.session_token },
    async run(t) {
      const pair = await temporaryPair(t);
      const { status } = await createDestination(t, {}, pair);
      t.fact("2.4-3", accepted(status), "session_token is accepted from this version on");
      t.fact("9-2", accepted(status), "a feature is available from its version on");
      const wrong = await createDestination(t, {}, { ...pair, session_token: `${pair.session_token}x` });
      t.fact("2.4-3", refused(wrong.status), "the test write detects a wrong token");
    },
  },
  "2.4/environment-token-old": environmentToken("0.10.33", "0.10.90", false),
  "2.4/environment-token-new": environmentToken("0.10.34", "0.10.91", true),
});
