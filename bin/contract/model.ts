import { type Play, play } from "../../contracts/model/play.ts";
import { REQUIREMENTS } from "../../contracts/spec/requirements.ts";
import type { Invocation } from "../command.ts";
import { CommandFailure } from "../command.ts";
import { print } from "../terminal.ts";
import { countOf, FROM_ZERO } from "../values.ts";
import { openTargets } from "./open-targets.ts";
import { profileOf, targetOf } from "./target.ts";

const DEFAULT_REQUESTS = 200;
const MAX_REPLY_CHARACTERS = 200;

/** `contract model`: exit code 1 when a reply differs from the model. */
export async function runModel(invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  const seed = countOf(invocation, "seed", FROM_ZERO) ?? 1;
  const requests = countOf(invocation, "requests") ?? DEFAULT_REQUESTS;
  const targets = openTargets();
  try {
    const target = await targets.open(() => targetOf(invocation));
    const options = { seed, requests, profile: profileOf(flags), signal: targets.interrupted };
    const result = await targets.during(() => play(target, options));
    if (result.requests === 0) throw new CommandFailure("no request was sent, so nothing was checked");
    if (flags.json === true) print(JSON.stringify(result));
    else if (flags.quiet !== true) for (const line of linesOf(result)) print(line);
    return targets.exitCode ?? (result.difference ? 1 : 0);
  } finally {
    await targets.close();
  }
}

function linesOf({ target, seed, requests, sequences, lacking, difference }: Play): readonly string[] {
  const missingLines = Object.entries(lacking).map(
    ([step, reason]) => `not checked: ${step} needs ${reason}`,
  );
  const summary = `${target}: ${requests} requests in ${sequences} sequences, seed ${seed}`;
  if (!difference) return [...missingLines, `${summary}: no difference from the model`];
  const { requirement, text, expected, actual, foundAfter, exchanges } = difference;
  return [
    ...missingLines,
    `${summary}: a reply differs from the model after ${foundAfter} requests`,
    `§${requirement} ${REQUIREMENTS[requirement].text}`,
    `  ${text}`,
    ...(actual === undefined
      ? []
      : [`  expected: ${JSON.stringify(expected)}`, `  actual:   ${JSON.stringify(actual)}`]),
    `The shortest sequence has ${exchanges.length} requests:`,
    ...exchanges.flatMap(({ curl, status, replyBody }) => [
      `  ${curl}`,
      `  # ${status} ${replyBody.slice(0, MAX_REPLY_CHARACTERS)}`,
    ]),
  ];
}
