import { describe, expect, test } from "vitest";
import { STORE_ERRORS, type StoreErrorCode } from "../../contracts/spec/destinations/store-errors.ts";
import { failureOfError } from "../../emulator/s3/client/failures.ts";
import { shownFailure, validationError } from "../../emulator/subjects/destinations/store-failure.ts";
import { S3_ERRORS } from "../../emulator/subjects/object-storage/errors.ts";

describe("what an error means (§7.3)", () => {
  const isAnswered = (httpStatusCode: number, Code?: string) =>
    failureOfError(
      { name: "Error", ...(Code && { Code }), message: "", $metadata: { httpStatusCode } },
      true,
    );
  const unanswered = (code: string, hasEndpoint = true) =>
    failureOfError({ name: "Error", code }, hasEndpoint);

  test.each([
    [400, "XOwnTrouble", "refused"],
    [403, "QuotaExceeded", "refused"],
    [404, "NoSuchUpload", "refused"],
    [416, "InvalidRange", "refused"],
    [429, "XThrottled", "refused"],
    [403, "AllAccessDisabled", "access_denied"],
    [307, "TemporaryRedirect", "bucket_not_valid"],
    [400, "RequestTimeout", "unavailable"],
    [429, "SlowDown", "unavailable"],
    [500, "XOwnTrouble", "unavailable"],
    [501, "NotImplemented", "unavailable"],
    [200, "InternalError", "unavailable"],
  ])("%s %s is %s", (status, code, failure) => {
    expect(isAnswered(status, code)).toMatchObject({ failure, code });
  });

  test.each([
    [404, "invalid_endpoint", "NotAnS3Server"],
    [429, "unavailable", "TooManyRequests"],
    [502, "unavailable", "HTTP 502"],
  ])("%s without a code is %s", (status, failure, code) => {
    expect(isAnswered(status)).toMatchObject({ failure, code });
  });

  test.each([
    ["ENOTFOUND", "invalid_endpoint", "UnknownHost"],
    ["EAI_AGAIN", "unavailable", "ConnectionFailed"],
    ["ECONNREFUSED", "unavailable", "ConnectionFailed"],
    ["ECONNRESET", "unavailable", "ConnectionFailed"],
    ["ETIMEDOUT", "unavailable", "NoAnswerInTime"],
    ["EPROTO", "invalid_endpoint", "UntrustedConnection"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "invalid_endpoint", "UntrustedConnection"],
  ])("%s is %s", (cause, failure, code) => {
    expect(unanswered(cause)).toMatchObject({ failure, code });
  });

  test("an endpoint that a destination does not have is not invalid", () => {
    const failure = unanswered("ENOTFOUND", false);
    expect(failure).toMatchObject({ failure: "refused", code: "UnknownHost" });
    expect(shownFailure(failure)).toBe("UnknownHost (its host name is unknown)");
    expect([validationError(failure, false), validationError(unanswered("ECONNREFUSED"), false)]).toEqual([
      undefined,
      undefined,
    ]);
    expect([
      validationError(unanswered("ENOTFOUND"), true),
      validationError(unanswered("ECONNREFUSED"), true),
    ]).toEqual(["invalid_endpoint", "invalid_endpoint"]);
  });

  test("the table gives the statuses of the emulated store", () => {
    for (const [code, { status }] of Object.entries(S3_ERRORS))
      if (code in STORE_ERRORS)
        expect([code, STORE_ERRORS[code as StoreErrorCode].status]).toEqual([code, status]);
  });
});
