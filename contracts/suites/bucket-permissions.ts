import { suite } from "../engine/case.ts";
import { accepted, equal, isRefused, refused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { inBase64 } from "../engine/exchange.ts";
import type { Members } from "../engine/json.ts";
import {
  createDestination,
  createExport,
  ingest,
  prepare,
  row,
  runExport,
  statusOf,
  until,
} from "./export-helpers.ts";
import { arm, hitsOf } from "./faulted-exports.ts";

const PERMISSIONS = ["writes", "store_keys", "object_store"] as const;

/** A key pair of the embedded store, with permissions of its own. */
async function keyPair(t: Contract, deny: readonly string[]): Promise<Members> {
  const access_key_id = `contract-${t.draw.word()}`;
  const secret_access_key = t.secret(`secret-${t.draw.word(24)}`);
  await t.control("POST", "/s3/credentials", { access_key_id, secret_access_key, deny });
  return { access_key_id, secret_access_key };
}

const BIG_ROWS = 9;
const BIG_ROW_CHARACTERS = 1_000_000;

const tmpFiles = async (t: Contract) =>
  (await t.objects.list(t.identity.bucket.name)).filter((key) => /(^|\/)tmp\//.test(key));

export const BUCKET_PERMISSION_CASES = suite({
  "2.4/at-rest": {
    title: "credentials of a destination are stored encrypted",
    requirements: ["2.4-2"],
    needs: [...PERMISSIONS, "at_rest"],
    settings: { ephemeral: false },
    async run(t) {
      const credentials = await keyPair(t, []);
      const prefix = `at-rest-${t.draw.word()}`;
      await createDestination(t, { prefix }, credentials);
      const filesText = await t.atRest();
      t.must("2.4-2", filesText.includes(prefix), "the destination is stored on disk", { expected: prefix });
      const secret = String(credentials.secret_access_key);
      const forms = [secret, ...inBase64(secret)];
      const exposedForms = forms.filter((form) => filesText.includes(form)).length;
      t.fact(
        "2.4-2",
        equal(exposedForms, 0),
        "its secret is not on disk, neither in plain text nor in Base64",
      );
    },
  },
  "2.4/test-file": {
    title: "creating a destination writes a test file, and deletes it if permitted",
    requirements: ["2.4-5", "2.4-6", "2.4-8"],
    needs: PERMISSIONS,
    async run(t) {
      const before = await tmpFiles(t);
      await createDestination(t);
      t.fact(
        "2.4-6",
        (await tmpFiles(t)).length === before.length,
        "the test file is deleted if that is permitted",
      );
      const { status } = await createDestination(t, {}, await keyPair(t, ["delete"]));
      t.fact("2.4-8", accepted(status), "permission to delete is optional");
      const remainingKeys = (await tmpFiles(t)).filter((key) => !before.includes(key));
      t.fact("2.4-5", remainingKeys.length === 1, "creation writes a file to the bucket", {
        expected: "the bucket contains one file",
        actual: remainingKeys,
      });
      t.fact("2.4-6", remainingKeys.length === 1, "a test file that may not be deleted stays under tmp", {
        expected: "the bucket contains one file",
        actual: remainingKeys,
      });
      const isAtRoot = remainingKeys.every((key) => key.startsWith("tmp/"));
      const expected = t.chosen("destination.test_file_key");
      t.choice(
        "destination.test_file_key",
        isAtRoot === (expected === "tmp/"),
        `the file is under ${expected}`,
        {
          actual: remainingKeys,
        },
      );
    },
  },
  "2.4/put-backend": {
    title: "a bucket without write access is refused",
    requirements: ["2.4-7", "2.4-5"],
    needs: PERMISSIONS,
    async run(t) {
      const { status, body } = await createDestination(t, {}, await keyPair(t, ["put"]));
      t.fact(
        "2.4-7",
        isRefused(status) && body.id === undefined,
        "a destination without permission to put objects is refused",
        {
          actual: status,
        },
      );
      t.fact("2.4-5", refused(status), "write access is validated");
    },
  },
  "2.4/put-queue": {
    title: "an export also needs permission to put objects",
    requirements: ["2.4-7"],
    needs: [...PERMISSIONS, "clock", "ingest"],
    async run(t) {
      const credentials = await keyPair(t, []);
      const prepared = await prepare(t, { credentials });
      await t.control("PATCH", `/s3/credentials/${credentials.access_key_id}`, { deny: ["put"] });
      const { id } = await createExport(t, prepared);
      t.fact("2.4-7", await until(t, id, "FAILED"), "an export without permission to write fails");
    },
  },
  "2.4/get": {
    title: "file sizes are verified with permission to get objects, and exports complete without it",
    requirements: ["2.4-9"],
    needs: [...PERMISSIONS, "clock", "ingest", "faults"],
    async run(t) {
      const readsOf = () =>
        arm(t, {
          target: "s3",
          match: { op: ["GetObject", "HeadObject"] },
          then: { delay: "PT0.001S" },
          times: 100,
        });
      const look = await readsOf();
      await runExport(t, await prepare(t, { days: 1 }));
      t.fact("2.4-9", (await hitsOf(t, look)) > 0, "the size of a written file is requested from the store");
      const completedExport = await runExport(
        t,
        await prepare(t, { days: 1, credentials: await keyPair(t, ["get"]) }),
      );
      t.fact(
        "2.4-9",
        statusOf(completedExport) === "COMPLETED",
        "the export completes without permission to get objects",
      );
    },
  },
  "2.4/size": {
    title: "a stored file of the wrong size fails its export",
    requirements: ["2.4-9"],
    needs: [...PERMISSIONS, "clock", "ingest", "receiver"],
    async run(t) {
      // A store that accepts every object and reports all of them as empty.
      const store = await t.receiver();
      const config = { endpoint_url: store.url, region: undefined };
      const { id } = await createExport(t, await prepare(t, { days: 1, config }));
      const isNoticed = await until(t, id, "FAILED");
      t.choice("export.size_check", isNoticed, "the export is not COMPLETED when a file has the wrong size");
      const storeRequests = store.deliveries.map(({ method, path }) => `${method} ${path}`);
      // How often is not shown: a store may answer late, and a wrong size may be a reason to try again.
      const isWritten = storeRequests.some((line) => /^PUT .*\.parquet/.test(line));
      t.fact("2.4-9", isWritten, "the file was written", { actual: storeRequests });
    },
  },
  "2.4/delete-destination-permissions": {
    title: "an export needs no permission except to put objects",
    requirements: ["2.4-8", "2.4-9", "2.4-10"],
    needs: [...PERMISSIONS, "clock", "ingest"],
    async run(t) {
      const credentials = await keyPair(t, ["get", "delete", "list", "abort"]);
      const completedExport = await runExport(t, await prepare(t, { days: 1, credentials }));
      for (const id of ["2.4-8", "2.4-9", "2.4-10"] as const)
        t.fact(id, statusOf(completedExport) === "COMPLETED", "the permission is optional");
    },
  },
  "2.4/abort": {
    title: "a failed multipart upload is aborted if permitted, otherwise it stays visible",
    requirements: ["2.4-10"],
    needs: [...PERMISSIONS, "clock", "ingest", "faults"],
    async run(t) {
      const { name } = t.identity.bucket;
      // Larger than a part, and without repetitions that an encoding could compress.
      const noise = t.draw.word(BIG_ROW_CHARACTERS);
      for (const deny of [[], ["abort"]]) {
        const credentials = await keyPair(t, deny);
        const prepared = await prepare(t, { days: 1, perDay: 0, credentials });
        for (let count = 0; count < BIG_ROWS; count++)
          await ingest(t, prepared.projectId, [
            row(t, prepared.from + 60_000 * (count + 1), { inputs: { count, noise } }),
          ]);
        const rule = { target: "s3", match: { op: "UploadPart" }, then: { s3_error: "AccessDenied" } };
        const fault = await arm(t, rule);
        const { id } = await createExport(t, prepared, { compression: "none" });
        await until(t, id, "FAILED");
        const isMultipart = (await hitsOf(t, fault)) > 0;
        if (!t.choice("export.files_per_partition", isMultipart, "nine megabytes are exported to one file"))
          return;
        const remainingKeys = (await t.objects.uploads(name)).filter((key) => key.includes(id));
        t.fact(
          "2.4-10",
          equal(remainingKeys.length, deny.length),
          `number of open uploads, abort ${deny.length ? "denied" : "allowed"}`,
        );
      }
    },
  },
});
