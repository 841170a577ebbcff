import { readFile } from "node:fs/promises";
import { ArchiveFileError } from "../../storage/archive/archive-file.ts";
import { fileAdvice } from "../../storage/file-advice.ts";
import { GIVEN_SECRETS, type GivenSecrets } from "../../subjects/snapshot-secrets.ts";
import { checkOf } from "../../validation/check.ts";

/** Reads a file of secrets, which has the form of the body of `PUT /secrets`. */
export async function readSecretsFile(file: string): Promise<GivenSecrets> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new ArchiveFileError(`${file}: ${fileAdvice(error)}`);
  });
  const given = parsed(text);
  const problems = (await checkOf(GIVEN_SECRETS))(given, "file");
  if (problems.length > 0)
    throw new ArchiveFileError(
      `${file} is no JSON with destinations, keys or webhooks: ${problems.join("; ")}`,
    );
  return given as GivenSecrets;
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
