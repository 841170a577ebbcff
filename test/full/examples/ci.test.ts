import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { childEnvironment } from "../../../emulator/client/child-environment.ts";
import { endProcesses, start, workingFolder } from "../../support/emulator-process.ts";
import { installPackage, runShell } from "../../support/user-project.ts";

const EXAMPLE = fileURLToPath(new URL("../../../fixtures/examples/ci", import.meta.url));
/** The steps of the action itself have tests of their own. */
const ACTION = "<owner>/<repo>@v1";
const NEEDS_NETWORK = "npm ci";

interface Step {
  readonly uses?: string;
  readonly with?: { readonly flags?: string };
  readonly run?: string;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const { jobs } = parse(readFileSync(join(EXAMPLE, ".github/workflows/test.yml"), "utf8")) as Workflow;

afterEach(endProcesses);

describe("the example of a project in GitHub Actions", () => {
  it.each(Object.entries(jobs))(
    "passes the steps of its job %s",
    async (_, { steps }) => {
      const cwd = workingFolder();
      cpSync(EXAMPLE, cwd, { recursive: true });
      // The default of five seconds is too short on a machine that runs other tests at the same time.
      writeFileSync(join(cwd, "vitest.config.mjs"), "export default { test: { testTimeout: 120_000 } };");
      const bin = installPackage(cwd);
      let variables = {};
      let count = 0;
      for (const { uses, with: inputs, run } of steps) {
        if (uses === ACTION) {
          const flags = ["--ephemeral", ...(inputs?.flags ?? "").split(" ")];
          variables = childEnvironment((await start(flags, { cwd })).ready);
        }
        if (run === undefined || run === NEEDS_NETWORK) continue;
        const { code, stdout, stderr } = await runShell(run, cwd, bin, variables);
        expect(code, `${run}\n${stdout}\n${stderr}`).toBe(0);
        count += 1;
      }
      expect(count).toBeGreaterThan(2);
    },
    180_000,
  );
});
