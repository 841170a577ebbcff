import { ERROR_CODES } from "../../bin/error-codes.ts";
import { code, page, plain, table } from "./markdown.ts";

/** Every error code with its meaning and the next step. */
export function errorsPage(): string {
  return page(
    "Error codes",
    'Errors of the control API have `{"error":{"code","message","hint"}}`, and so have errors of commands with `--json`. Errors of the emulated API have no code in the reply; if a turn refused the request, `emulator logs --json` has it in `refused`. ' +
      "`emulator help <code>` prints one row of this table. [Troubleshooting](../do/troubleshoot.md) starts from messages instead.",
    table(
      ["Code", "Meaning", "Next step"],
      Object.entries(ERROR_CODES)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, [meaning, nextStep]]) => [code(name), plain(meaning), plain(nextStep)]),
    ),
  );
}
