import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readRecording } from "../../contracts/engine/recordings/read-recording.ts";
import { contractReport, isSuccessful } from "../../contracts/index.ts";
import { checkRecordings, type RecordingFile } from "../../contracts/targets/check-recording.ts";
import { fileAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { type Invocation, UsageError } from "../command.ts";
import { configurationOf } from "../configuration.ts";
import { formatOf, publish, refuseUnwritable } from "../report-output.ts";
import { textOf, textsOf } from "../values.ts";
import { baseOf, profileOf } from "./target.ts";

/** `contract check`: exit code 0 on success, 1 when an exchange failed or none was checked. */
export async function checkFiles(invocation: Invocation): Promise<number> {
  const { flags, operands, cwd } = invocation;
  const format = formatOf(invocation);
  const profile = profileOf(flags);
  const targets = textsOf(invocation, "target").map((address) => baseOf("target", address));
  await refuseUnwritable(invocation);
  const { configuration } = await configurationOf(invocation);
  const { recording_file_bytes } = configuration.settings.limits;
  const files = operands.map((name) => readFile(name, resolve(cwd, name), recording_file_bytes));
  const report = await checkRecordings(files, {
    profile,
    ...(textOf(invocation, "target") !== undefined && { addresses: targets }),
  });
  const isStrict = flags.strict === true;
  publish(invocation, contractReport(report, isStrict, flags.verbose === true), { format, page: "contract" });
  return isSuccessful(report, isStrict) ? 0 : 1;
}

function readFile(name: string, path: string, maxBytes: number): RecordingFile {
  const text = textOfFile(name, path, maxBytes);
  try {
    return { name, entries: readRecording(text) };
  } catch (error) {
    if ((error as Error).name !== "RecordingError") throw error;
    throw new UsageError(`${name}: ${(error as Error).message}`);
  }
}

function textOfFile(name: string, path: string, maxBytes: number): string {
  try {
    const { size } = statSync(path);
    if (size <= maxBytes) return readFileSync(path, "utf8");
    throw new UsageError(
      `${name}: the file has ${size} bytes, and at most ${maxBytes} are read (limits.recording_file_bytes); raise the limit, or record fewer requests`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name}: ${fileAdvice(error)}`);
  }
}
