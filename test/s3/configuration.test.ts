import {
  CreateBucketCommand,
  GetBucketAclCommand,
  GetBucketAnalyticsConfigurationCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLoggingCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetBucketReplicationCommand,
  GetBucketRequestPaymentCommand,
  GetBucketTaggingCommand,
  GetBucketWebsiteCommand,
  GetObjectAclCommand,
  GetObjectLegalHoldCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  GetObjectTaggingCommand,
  GetPublicAccessBlockCommand,
  ListBucketAnalyticsConfigurationsCommand,
  ListBucketsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from "@aws-sdk/client-s3";
import { describe, test } from "vitest";
import { codeOf } from "./harness.ts";
import { serverOfFile } from "./server-of-file.ts";
import { sendSigned } from "./signed-request.ts";

const Bucket = "traces";
const Key = "plain.txt";

const { server, send, errorOf } = serverOfFile(async (send) => {
  await send(new PutObjectCommand({ Bucket, Key, Body: "plain" }));
});

const ask = (command: object) => send(command as GetBucketAclCommand) as Promise<object>;

const OWNERS_GRANT = {
  Owner: { ID: "emulator" },
  Grants: [{ Grantee: { Type: "CanonicalUser", ID: "emulator" }, Permission: "FULL_CONTROL" }],
};

describe("a bucket of which nothing was configured answers as the real service does", () => {
  test.for([
    ["GetBucketAcl", new GetBucketAclCommand({ Bucket }), OWNERS_GRANT],
    ["GetObjectAcl", new GetObjectAclCommand({ Bucket, Key }), OWNERS_GRANT],
    ["GetObjectTagging", new GetObjectTaggingCommand({ Bucket, Key }), { TagSet: [] }],
    [
      "GetBucketEncryption",
      new GetBucketEncryptionCommand({ Bucket }),
      {
        ServerSideEncryptionConfiguration: {
          Rules: [
            { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" }, BucketKeyEnabled: false },
          ],
        },
      },
    ],
    [
      "GetPublicAccessBlock",
      new GetPublicAccessBlockCommand({ Bucket }),
      {
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          IgnorePublicAcls: true,
          BlockPublicPolicy: true,
          RestrictPublicBuckets: true,
        },
      },
    ],
    [
      "GetBucketOwnershipControls",
      new GetBucketOwnershipControlsCommand({ Bucket }),
      { OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] } },
    ],
    ["GetBucketLogging", new GetBucketLoggingCommand({ Bucket }), {}],
    ["GetBucketNotificationConfiguration", new GetBucketNotificationConfigurationCommand({ Bucket }), {}],
    ["GetBucketRequestPayment", new GetBucketRequestPaymentCommand({ Bucket }), { Payer: "BucketOwner" }],
    [
      "ListBucketAnalyticsConfigurations",
      new ListBucketAnalyticsConfigurationsCommand({ Bucket }),
      { IsTruncated: false },
    ],
  ] as const)("%s", async ([_name, command, expected], { expect }) => {
    expect(await ask(command)).toMatchObject(expected);
  });

  test.for([
    ["NoSuchLifecycleConfiguration", new GetBucketLifecycleConfigurationCommand({ Bucket })],
    ["NoSuchCORSConfiguration", new GetBucketCorsCommand({ Bucket })],
    ["NoSuchBucketPolicy", new GetBucketPolicyCommand({ Bucket })],
    ["NoSuchBucketPolicy", new GetBucketPolicyStatusCommand({ Bucket })],
    ["NoSuchTagSet", new GetBucketTaggingCommand({ Bucket })],
    ["NoSuchWebsiteConfiguration", new GetBucketWebsiteCommand({ Bucket })],
    ["ObjectLockConfigurationNotFoundError", new GetObjectLockConfigurationCommand({ Bucket })],
    ["ReplicationConfigurationNotFoundError", new GetBucketReplicationCommand({ Bucket })],
    ["NoSuchConfiguration", new GetBucketAnalyticsConfigurationCommand({ Bucket, Id: "any" })],
    ["InvalidRequest", new GetObjectRetentionCommand({ Bucket, Key })],
    ["InvalidRequest", new GetObjectLegalHoldCommand({ Bucket, Key })],
    ["NoSuchKey", new GetObjectTaggingCommand({ Bucket, Key: "not-there" })],
    ["NoSuchBucket", new GetBucketCorsCommand({ Bucket: "no-bucket" })],
  ] as const)("%s", async ([code, command], { expect }) => {
    expect(await errorOf(command)).toBe(code);
  });

  test("what would configure something is not implemented", async ({ expect }) => {
    expect(await errorOf(new PutBucketPolicyCommand({ Bucket, Policy: "{}" }))).toBe("NotImplemented");
    const Tagging = { TagSet: [{ Key: "a", Value: "b" }] };
    expect(await errorOf(new PutObjectTaggingCommand({ Bucket, Key, Tagging }))).toBe("NotImplemented");
  });
});

test("a subresource that is not there says so only to those whose signature is right", async ({ expect }) => {
  const command = new PutBucketPolicyCommand({ Bucket, Policy: "{}" });
  const wrong = server().client({ credentials: { accessKeyId: "emulator", secretAccessKey: "wrong" } });
  expect(await codeOf(wrong.send(command))).toBe("SignatureDoesNotMatch");
  const unknown = server().client({ credentials: { accessKeyId: "nobody", secretAccessKey: "x" } });
  expect(await codeOf(unknown.send(command))).toBe("InvalidAccessKeyId");
});

describe("ListBuckets", () => {
  test("max-buckets gives a page, and its token the next", async ({ expect }) => {
    for (const name of ["page-a", "page-b", "page-c"]) await send(new CreateBucketCommand({ Bucket: name }));
    const names: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    let pages = 0;
    do {
      const page = await send(
        new ListBucketsCommand({
          MaxBuckets: 2,
          Prefix: "page-",
          ...(ContinuationToken && { ContinuationToken }),
        }),
      );
      names.push(...(page.Buckets ?? []).map(({ Name }) => Name));
      ({ ContinuationToken } = page);
      pages += 1;
    } while (ContinuationToken !== undefined && pages < 5);
    expect([pages, names]).toEqual([2, ["page-a", "page-b", "page-c"]]);
  });

  test.for(["0", "10001", "x", ""])("max-buckets=%s is refused", async (count, { expect }) => {
    const { status, text } = await sendSigned(server(), {
      method: "GET",
      path: "/",
      query: { "max-buckets": count },
    });
    expect([status, text]).toEqual([400, expect.stringContaining("max-buckets")]);
  });
});

describe("CreateBucket again", () => {
  test("is 200 in us-east-1 and 409 elsewhere", async ({ expect }) => {
    const create = (Bucket: string, region?: "eu-west-1") =>
      codeOf(
        ask(
          new CreateBucketCommand({
            Bucket,
            ...(region && { CreateBucketConfiguration: { LocationConstraint: region } }),
          }),
        ),
      );
    expect([await create("again-us"), await create("again-us")]).toEqual(["no error", "no error"]);
    expect(await create("again-us", "eu-west-1")).toBe("BucketAlreadyOwnedByYou");
    expect([await create("again-eu", "eu-west-1"), await create("again-eu", "eu-west-1")]).toEqual([
      "no error",
      "BucketAlreadyOwnedByYou",
    ]);
  });

  test("the usual region goes without its name, and a configuration without what is not there", async ({
    expect,
  }) => {
    const put = (inner: string) =>
      sendSigned(server(), {
        method: "PUT",
        path: "/configured",
        body: `<CreateBucketConfiguration>${inner}</CreateBucketConfiguration>`,
      });
    const reply = await put("<LocationConstraint>us-east-1</LocationConstraint>");
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("InvalidLocationConstraint")]);
    const tagged = await put("<Tags><Tag><Key>a</Key><Value>b</Value></Tag></Tags>");
    expect([tagged.status, tagged.text]).toEqual([501, expect.stringContaining("Tags")]);
  });
});
