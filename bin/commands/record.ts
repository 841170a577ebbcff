import { resolve } from "node:path";
import { harOf } from "../../contracts/engine/recordings/write-har.ts";
import { counted } from "../../contracts/report/counted.ts";
import { packageVersion } from "../../emulator/config/package-version.ts";
import { clientCommand } from "../client-command.ts";
import { UsageError } from "../command.ts";
import { writeRecording } from "../replay/record.ts";
import { textOf } from "../values.ts";

/** `record --har`: writes the recording of a world as HAR. */
export const command = clientCommand({
  summary:
    "write the requests that a world received, and the replies, to a HAR file, with credentials masked; `replay --record` writes a scenario instead",
  flags: {
    har: { value: "<file>", help: "HAR file to write (required)" },
    update: { help: "replace an existing file" },
  },
  prepare({ flags, cwd }) {
    const file = textOf({ flags }, "har");
    if (file === undefined)
      throw new UsageError("--har is missing; give the file to write, such as --har seen.har");
    return async ({ client, url }) => {
      const [header, ...lines] = await client.recording();
      const har = harOf(lines, { url, version: packageVersion() });
      writeRecording("--har", resolve(cwd, file), JSON.stringify(har, null, 1), flags.update === true);
      return { file, exchanges: lines.length, complete: header.complete };
    };
  },
  lines: ({ file, exchanges, complete }) => [
    `${file}: ${counted(exchanges, "exchange")}; check them with \`npx emulator contract check ${file}\``,
    ...(complete ? [] : ["The recording does not start with the first request: earlier ones are missing."]),
  ],
});
