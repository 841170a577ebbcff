import { suite } from "../case.ts";
import type { Contract, Members } from "../contract.ts";
import {
  arm,
  createDestination,
  DESTINATIONS,
  destinationBody,
  exported,
  filesOf,
  hitsOf,
  ingest,
  isRefused,
  order,
  prepare,
  row,
  statusOf,
  until,
} from "./world.ts";

const WRITES = ["writes"] as const;
const PERMISSIONS = ["writes", "control", "object_store"] as const;

/** A body without one of its members, named by its path. */
function without(body: Members, path: string): Members {
  const [first = "", ...rest] = path.split(".");
  const { [first]: inner, ...others } = body;
  return rest.length === 0 ? others : { ...others, [first]: without(inner as Members, rest.join(".")) };
}

/** A key pair of the embedded store, with permissions of its own. */
async function keyPair(t: Contract, deny: readonly string[]): Promise<Members> {
  const access_key_id = `contract-${t.draw.word()}`;
  const secret_access_key = t.secret(`secret-${t.draw.word(24)}`);
  await t.control("POST", "/s3/credentials", { access_key_id, secret_access_key, deny });
  return { access_key_id, secret_access_key };
}

const BIG_ROWS = 9;
const BIG_ROW_CHARACTERS = 1_000_000;

/** A key pair that only works together with its token. */
async function temporaryPair(t: Contract): Promise<Members> {
  const access_key_id = `contract-${t.draw.word()}`;
  const secret_access_key = t.secret(t.draw.word(24));
  const session_token = t.secret(`token-${t.draw.word(24)}`);
  await t.control("POST", "/s3/credentials", { access_key_id, secret_access_key, session_token });
  return { access_key_id, secret_access_key, session_token };
}

const REQUIRED = ["destination_type", "display_name", "config", "config.bucket_name", "config.prefix"];
const CREDENTIALS = ["credentials.access_key_id", "credentials.secret_access_key"];

const tmpFiles = async (t: Contract) =>
  (await t.objects.list(t.identity.bucket.name)).filter((key) => /(^|\/)tmp\//.test(key));

export const DESTINATION_CASES = suite({
  "4.2/create": {
    title: "a destination is created and answers with an id",
    requirements: ["4.2-1", "2.4-2"],
    needs: WRITES,
    async run(t) {
      const secret = t.identity.bucket.secretAccessKey;
      const { status, body, text } = await createDestination(t);
      t.must("4.2-1", status < 300 && typeof body.id === "string", "an object with an id is answered");
      t.choice("platform.success_status", status === 200, "success is 200", { actual: status });
      t.fact("2.4-2", !text.includes(secret) && !("credentials" in body), "credentials are not returned");
    },
  },
  "2.4/required-fields": {
    title: "each required field of a destination is asked for",
    requirements: ["2.4-1", "7-1"],
    needs: WRITES,
    async run(t) {
      for (const path of [...REQUIRED, ...CREDENTIALS]) {
        const body = without(destinationBody(t), path);
        const { status } = await t.call("POST", DESTINATIONS, { body });
        t.fact("2.4-1", isRefused(status), `${path} is required`, { actual: status });
        t.choice("platform.invalid_request", status === 422, `a missing ${path} is answered with 422`);
      }
    },
  },
  "2.4/field-types": {
    title: "fields of another type or value are refused",
    requirements: ["2.4-1"],
    needs: WRITES,
    async run(t) {
      const good = destinationBody(t);
      const wrong: readonly Members[] = [
        { ...good, destination_type: "gcs" },
        { ...good, display_name: 7 },
        { ...good, config: { ...(good.config as Members), include_bucket_in_prefix: "yes" } },
        { ...good, config: { ...(good.config as Members), bucket_name: 7 } },
        { ...good, config: { ...(good.config as Members), prefix: null } },
      ];
      for (const body of wrong) {
        const { status, exchange } = await t.call("POST", DESTINATIONS, { body });
        t.fact("2.4-1", isRefused(status), "a field of the wrong form is refused", {
          actual: status,
          exchange,
        });
      }
    },
  },
  "2.4/region": {
    title: "an AWS-style bucket needs its region, and no endpoint_url",
    requirements: ["2.4-1", "2.4-12"],
    needs: [...WRITES, "control"],
    async run(t) {
      const { status } = await createDestination(t, { endpoint_url: undefined, region: "us-east-1" });
      t.fact("2.4-12", status < 300, "without endpoint_url the region decides", { actual: status });
      const none = await createDestination(t, { endpoint_url: undefined, region: undefined });
      t.fact("2.4-1", isRefused(none.status), "an AWS-style bucket without a region is refused");
      t.choice("destination.missing_region", none.status === 422, "it is answered with 422");
    },
  },
  "2.4/endpoint": {
    title: "an S3-compatible store is reached by its endpoint_url",
    requirements: ["2.4-11"],
    needs: PERMISSIONS,
    async run(t) {
      const { s3_url } = await t.control<{ s3_url: string }>("GET", "/status");
      const { status, body } = await createDestination(t, { endpoint_url: s3_url, region: undefined });
      t.must("2.4-11", status < 300, "a store with the S3-compatible XML API is accepted", {
        actual: status,
      });
      const prepared = await prepare(t);
      const done = await exported(t, { ...prepared, destinationId: body.id });
      t.fact("2.4-11", (await filesOf(t, done.id)).length > 0, "its files are in that store");
    },
  },
  "2.4/include-bucket": {
    title: "include_bucket_in_prefix decides whether the bucket leads the path",
    requirements: ["2.4-13", "2.4-1"],
    needs: ["writes", "ingest", "clock", "object_store"],
    async run(t) {
      const { name } = t.identity.bucket;
      const prefix = `led/${t.draw.word()}`;
      for (const [given, led] of [
        [true, true],
        [false, false],
        [undefined, false],
      ] as const) {
        const config = { prefix: `${prefix}${String(given)}`, include_bucket_in_prefix: given };
        const { id } = await exported(t, await prepare(t, { config, days: 1 }));
        const keys = await filesOf(t, id);
        const begin = led ? `${name}/${config.prefix}/` : `${config.prefix}/`;
        const holds = keys.length > 0 && keys.every((key) => key.startsWith(begin));
        t.fact("2.4-13", holds, `include_bucket_in_prefix ${given}: keys begin with ${begin}`, {
          actual: keys[0],
        });
        if (given === undefined) t.fact("2.4-1", holds, "include_bucket_in_prefix is false by default");
      }
      const config = { prefix: `${name}/${prefix}`, include_bucket_in_prefix: true };
      const { id } = await exported(t, await prepare(t, { config, days: 1 }));
      const [key = ""] = await filesOf(t, id);
      t.choice(
        "destination.bucket_in_prefix_spelling",
        !key.startsWith(`${name}/${name}/`),
        "it is not doubled",
      );
    },
  },
  "2.4/test-file": {
    title: "creation writes a test file, and deletes it where it may",
    requirements: ["2.4-5", "2.4-6", "2.4-8"],
    needs: PERMISSIONS,
    async run(t) {
      const before = await tmpFiles(t);
      await createDestination(t);
      t.fact(
        "2.4-6",
        (await tmpFiles(t)).length === before.length,
        "a test file that may be deleted is gone",
      );
      const { status } = await createDestination(t, {}, await keyPair(t, ["delete"]));
      t.fact("2.4-8", status < 300, "permission to delete is optional", { actual: status });
      const left = (await tmpFiles(t)).filter((key) => !before.includes(key));
      t.fact("2.4-5", left.length === 1, "creation writes a file to the bucket", { actual: left });
      t.fact("2.4-6", left.length === 1, "one that may not be deleted stays under tmp", { actual: left });
      const isAtRoot = left.every((key) => key.startsWith("tmp/"));
      t.choice("destination.test_file_key", isAtRoot, "it is under tmp/ at the bucket's root", {
        actual: left,
      });
    },
  },
  "2.4/put-backend": {
    title: "a bucket that cannot be written to is refused",
    requirements: ["2.4-7", "2.4-5"],
    needs: PERMISSIONS,
    async run(t) {
      const { status, body } = await createDestination(t, {}, await keyPair(t, ["put"]));
      t.fact("2.4-7", isRefused(status) && !("id" in body), "the backend needs to put objects", {
        actual: status,
      });
      t.fact("2.4-5", isRefused(status), "write access is validated", { actual: status });
    },
  },
  "2.4/put-queue": {
    title: "the queue needs to put objects too",
    requirements: ["2.4-7"],
    needs: [...PERMISSIONS, "clock", "ingest"],
    async run(t) {
      const credentials = await keyPair(t, []);
      const prepared = await prepare(t, { credentials });
      await t.control("PATCH", `/s3/credentials/${credentials.access_key_id}`, { deny: ["put"] });
      const { id } = await order(t, prepared);
      t.fact("2.4-7", await until(t, id, "FAILED"), "an export that may not write fails");
    },
  },
  "2.4/get": {
    title: "sizes are verified with permission to get, and exports complete without it",
    requirements: ["2.4-9"],
    needs: [...PERMISSIONS, "clock", "ingest", "faults"],
    async run(t) {
      const readsOf = () =>
        arm(t, {
          plane: "s3",
          match: { op: ["GetObject", "HeadObject"] },
          then: { delay: "PT0.001S" },
          times: 100,
        });
      const look = await readsOf();
      await exported(t, await prepare(t, { days: 1 }));
      t.fact("2.4-9", (await hitsOf(t, look)) > 0, "the size of a written file is looked up");
      const done = await exported(t, await prepare(t, { days: 1, credentials: await keyPair(t, ["get"]) }));
      t.fact("2.4-9", statusOf(done) === "COMPLETED", "without permission to get the export completes");
    },
  },
  "2.4/delete-destination-permissions": {
    title: "an export completes with nothing but permission to put",
    requirements: ["2.4-8", "2.4-9", "2.4-10"],
    needs: [...PERMISSIONS, "clock", "ingest"],
    async run(t) {
      const credentials = await keyPair(t, ["get", "delete", "list", "abort"]);
      const done = await exported(t, await prepare(t, { days: 1, credentials }));
      for (const id of ["2.4-8", "2.4-9", "2.4-10"] as const)
        t.fact(id, statusOf(done) === "COMPLETED", "the permission is optional");
    },
  },
  "2.4/abort": {
    title: "a failed upload in parts leaves nothing where it may be aborted, and is seen where not",
    requirements: ["2.4-10"],
    needs: [...PERMISSIONS, "clock", "ingest", "faults"],
    async run(t) {
      const { name } = t.identity.bucket;
      // Larger than a part, and of no repetition that an encoding could make use of.
      const noise = t.draw.word(BIG_ROW_CHARACTERS);
      for (const deny of [[], ["abort"]]) {
        const credentials = await keyPair(t, deny);
        const prepared = await prepare(t, { days: 1, perDay: 0, credentials });
        for (let count = 0; count < BIG_ROWS; count++)
          await ingest(t, prepared.projectId, [
            row(t, prepared.from + 60_000 * (count + 1), { inputs: { count, noise } }),
          ]);
        await arm(t, { plane: "s3", match: { op: "UploadPart" }, then: { s3_error: "AccessDenied" } });
        const { id } = await order(t, prepared, { compression: "none" });
        await until(t, id, "FAILED");
        const left = (await t.objects.uploads(name)).filter((key) => key.includes(id));
        t.fact(
          "2.4-10",
          left.length === deny.length,
          `abort ${deny.length ? "denied" : "allowed"}: uploads left`,
          {
            expected: deny.length,
            actual: left.length,
          },
        );
      }
    },
  },
  "2.4/hosted-credentials": {
    title: "a hosted deployment asks for credentials",
    requirements: ["2.4-4"],
    needs: WRITES,
    async run(t) {
      const { credentials: _, ...body } = destinationBody(t);
      const { status } = await t.call("POST", DESTINATIONS, { body });
      t.fact("2.4-4", isRefused(status), "credentials are required on the hosted deployment");
      t.choice("destination.missing_credentials", status === 422, "their absence is answered with 422");
    },
  },
  "2.4/self-hosted-credentials": {
    title: "a self-hosted deployment takes them from its environment",
    requirements: ["2.4-4"],
    needs: WRITES,
    settings: {
      deployment: "self-hosted",
      environment: { AWS_ACCESS_KEY_ID: "emulator", AWS_SECRET_ACCESS_KEY: "emulator-secret" },
    },
    async run(t) {
      const { credentials: _, ...body } = destinationBody(t);
      const { status } = await t.call("POST", DESTINATIONS, { body });
      t.fact("2.4-4", status < 300, "the environment's credentials are used", { actual: status });
    },
  },
  "2.4/session-token-old": {
    title: "a session token is refused before service 0.10.34",
    requirements: ["2.4-3", "9-2"],
    needs: [...WRITES, "control"],
    settings: { versions: { service: "0.10.33", application: "0.10.90" } },
    async run(t) {
      const { status } = await createDestination(t, {}, await temporaryPair(t));
      t.fact("2.4-3", isRefused(status), "session_token is too new for this version", { actual: status });
      t.fact("9-2", isRefused(status), "a feature follows the version that brought it");
      t.choice("destination.session_token_gate", status === 422, "it is answered with 422", {
        actual: status,
      });
      t.fact("2.4-3", (await createDestination(t)).status < 300, "lasting credentials work in it");
    },
  },
  "2.4/session-token-new": {
    title: "a session token is taken from service 0.10.34 on",
    requirements: ["2.4-3", "9-2"],
    needs: [...WRITES, "control"],
    settings: { versions: { service: "0.10.34", application: "0.10.91" } },
    async run(t) {
      const pair = await temporaryPair(t);
      const { status } = await createDestination(t, {}, pair);
      t.fact("2.4-3", status < 300, "session_token is there since this version", { actual: status });
      t.fact("9-2", status < 300, "a feature follows the version that brought it");
      const wrong = await createDestination(t, {}, { ...pair, session_token: `${pair.session_token}x` });
      t.fact("2.4-3", isRefused(wrong.status), "a wrong token is noticed by the test write");
    },
  },
});
