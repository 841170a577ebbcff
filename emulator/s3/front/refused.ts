import {
  isS3Failure,
  messageOf,
  type S3ErrorCode,
  type S3Failure,
  s3Failure,
} from "../../subjects/object-storage/errors.ts";

/** Carries a failure to the code that writes the response. */
export class S3Refused extends Error {
  readonly trouble: S3Failure;

  constructor(why: S3Failure) {
    super(messageOf(why));
    this.name = "S3Refused";
    this.trouble = why;
  }
}

/** Creates an error to throw. The default message is that of the table. */
export function refuse(error: S3ErrorCode, message?: string, detail?: S3Failure["detail"]): S3Refused {
  return new S3Refused(s3Failure(error, message, detail));
}

/** Returns the value; throws a failure. */
export function orRefuse<R>(value: S3Failure | R): R {
  if (isS3Failure(value)) throw new S3Refused(value);
  return value as R;
}

/** Creates an error for an argument that is not valid; its value is shortened. */
export function refuseArgument(name: string, value: string, message: string): S3Refused {
  return refuse("InvalidArgument", message, { ArgumentName: name, ArgumentValue: value.slice(0, 100) });
}
