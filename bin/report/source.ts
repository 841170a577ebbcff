import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { ReportModel } from "../../contracts/report/model.ts";
import { type Invocation, UsageError } from "../command.ts";
import { printError } from "../terminal.ts";
import { textOf } from "../values.ts";

/**
 * The file that code scanning shows the findings at: `--source`, or the workflow file in GitHub Actions. Throws
 * `UsageError`.
 */
export function sourceOf(invocation: Invocation): ReportModel["source"] {
  const { flags, cwd, env } = invocation;
  const file = textOf(invocation, "source");
  if (file === undefined) {
    const [, workflow] = /^[^/]+\/[^/]+\/(.+)@/.exec(env.GITHUB_WORKFLOW_REF ?? "") ?? [];
    if (workflow === undefined && flags.report === "sarif")
      printError(
        "the findings have no file, which GitHub code scanning requires; name one with --source <file>",
      );
    return workflow === undefined ? undefined : { path: workflow };
  }
  const path = relative(cwd, resolve(cwd, file));
  if (path === "" || path.startsWith("..") || isAbsolute(path))
    throw new UsageError(
      `--source: "${file}" is not a file below the current folder; run the command in the repository`,
    );
  if (!existsSync(resolve(cwd, file)))
    throw new UsageError(`--source: ${file} does not exist; name a file of the repository`);
  return { path };
}
