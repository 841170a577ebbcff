import { resolve } from "node:path";
import { replyOverHttp } from "../../emulator/client/send-over-http.ts";
import { CONSOLE_PATH } from "../../emulator/subjects/control-prefix.ts";
import type { Environment } from "../../scenarios/environment.ts";
import { runScenario } from "../../scenarios/run-scenario.ts";
import { openCapsule } from "../capsule/file.ts";
import { factLines, scenarioOf } from "../capsule/play.ts";
import { type Command, type Invocation, WORLD_FLAGS } from "../command.ts";
import { configurationOf } from "../configuration.ts";
import { openInBrowser } from "../console/browser.ts";
import { runWithEmulator, startForCommand } from "../defect-exit.ts";
import { readParquet } from "../replay/read-parquet.ts";
import { runningWorld } from "../running.ts";
import { firstSignal } from "../signals.ts";
import { print, printError, printResult } from "../terminal.ts";

export const command: Command = {
  summary:
    "open the web console of a running emulator and print its address; with a capsule, start an emulator in its state at the failure, until SIGINT, SIGTERM or SIGHUP",
  operands: ["[capsule]"],
  flags: {
    ...WORLD_FLAGS,
    port: {
      value: "<n>",
      help: "with a capsule: port of the US region; the EU region uses the next port, and S3 the one after it (default 0: free ports)",
    },
    host: { value: "<host>", help: "with a capsule: address to bind to (default 127.0.0.1)" },
    trust: {
      help: "with a capsule: let it use environment variables, files and hosts other than this machine; only for a capsule whose author you trust",
    },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const [file] = invocation.operands;
  if (file === undefined) return openConsole(invocation);
  const interrupted = firstSignal();
  const capsule = await openCapsule(resolve(invocation.cwd, file));
  try {
    const scenario = await scenarioOf(capsule, invocation);
    const { configuration } = await configurationOf(
      {
        ...invocation,
        env: environmentFor(invocation),
        flags: { port: "0", ...invocation.flags, ephemeral: true },
      },
      false,
      {
        rateLimits: "off",
        ...scenario.settings,
        clock: "frozen",
        now: scenario.now ?? "2026-01-01T00:00:00Z",
        seed: capsule.facts.seed,
      },
    );
    const running = await startForCommand(configuration);
    return await runWithEmulator(running, configuration, async (defectExit) => {
      const { url, eu_url: euUrl, s3_url: s3Url, seed } = running.ready;
      const environment: Environment = {
        url,
        euUrl,
        s3Url,
        seed,
        readParquet,
        close: async () => {},
        async request({ region, method, path, headers, body }) {
          const request = { method, headers, ...(body !== undefined && { body }) };
          return replyOverHttp(region === "eu" ? euUrl : url, path, request);
        },
      };
      const { failure } = await runScenario(scenario, {
        open: async () => environment,
        close: async () => {},
      });
      for (const line of factLines(capsule)) print(line);
      print(
        failure
          ? `the state is that after ${failure.label}: ${failure.differences[0]}`
          : "the state is that after the last step",
      );
      print(`${url}   EU ${euUrl}   S3 ${s3Url}`);
      const outcome = await Promise.race([interrupted, defectExit]);
      return typeof outcome === "number" ? outcome : 0;
    });
  } finally {
    capsule.remove();
  }
}

/** The variables for webhook headers and destinations. Those for settings would change the result. */
function environmentFor({ flags, env }: Invocation): Invocation["env"] {
  if (flags.trust !== true) return {};
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("EMULATOR_")));
}

/** `open` without a capsule: prints the address of the console, and opens it where this runs on a terminal. */
async function openConsole(invocation: Invocation): Promise<number> {
  const { url, client } = await runningWorld(invocation);
  const { console_needs_token: needsToken } = await client.status();
  const address = url + CONSOLE_PATH;
  printResult(invocation, { console_url: address }, [address]);
  if (needsToken === true)
    printError("the console needs a token; open the address that `emulator start` printed");
  else if (process.stdout.isTTY === true && invocation.flags.json !== true) openInBrowser(address);
  return 0;
}
