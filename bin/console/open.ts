import { CONSOLE_PATH } from "../../emulator/subjects/control-prefix.ts";
import type { Invocation } from "../command.ts";
import { runningWorld } from "../running.ts";
import { printError, printResult } from "../terminal.ts";
import { openInBrowser } from "./browser.ts";

/** `open` without a capsule: prints the address of the console, and opens it where this runs on a terminal. */
export async function openConsole(invocation: Invocation): Promise<number> {
  const { url, client } = await runningWorld(invocation);
  const { console_needs_token: needsToken } = await client.status();
  const address = url + CONSOLE_PATH;
  printResult(invocation, { console_url: address }, [address]);
  if (needsToken === true)
    printError("the console needs a token; open the address that `emulator start` printed");
  else if (process.stdout.isTTY === true && invocation.flags.json !== true) openInBrowser(address);
  return 0;
}
