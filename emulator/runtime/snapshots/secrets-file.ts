import { readFile } from "node:fs/promises";
import { jsonOf } from "../../subjects/json-of.ts";
import { SUPPLIED_SECRETS, type SuppliedSecrets } from "../../subjects/snapshot-secrets.ts";
import { checkOf } from "../../validation/check.ts";
import { fileAdvice } from "../process/file-advice.ts";
import { ArchiveFileError } from "./archive-file.ts";

/** Reads a file of secrets, in the format of the body of `PUT /secrets`. */
export async function readSecretsFile(file: string): Promise<SuppliedSecrets> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new ArchiveFileError(`${file}: ${fileAdvice(error)}`);
  });
  const content = jsonOf(text);
  const problems = (await checkOf(SUPPLIED_SECRETS))(content, "file");
  if (problems.length > 0)
    throw new ArchiveFileError(
      `${file} is not JSON with destinations, keys or webhooks: ${problems.join("; ")}`,
    );
  return content as SuppliedSecrets;
}
