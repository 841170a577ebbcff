import { exchangeOf, withoutSecretsIn } from "../engine/exchange.ts";
import type { ExchangeResult } from "../engine/oracle/oracle.ts";
import type { Profile } from "../engine/profile.ts";
import {
  type CheckableReply,
  type ContractQuestion,
  exchangeIn,
  type RecordingLine,
} from "../engine/recorded.ts";
import { worst } from "../engine/verdict.ts";
import { findingLines } from "../report/contract-body.ts";
import { printable } from "../report/printable.ts";
import { parseExchange } from "./oracle.ts";
import { findingsOf, isOfThisApi, problemOf, secretsIn, uncheckedFinding, wireOf } from "./recorded-wire.ts";
import { openTableOracle } from "./table-oracle.ts";

/** Options of `expectContract`. */
export interface ExpectOptions extends ContractQuestion {
  /** Also fails for NON-STRICT and UNSPECIFIED findings. */
  readonly strict?: boolean;
}

const MAX_FINDINGS = 10;
const MAX_REPLY_CHARACTERS = 300;

/** Rejects with a report when an exchange violates the contract, its `requirements` as a member, or is not of this API. */
export async function expectContract(value: CheckableReply, options: ExpectOptions = {}): Promise<void> {
  const { pass, message, requirements } = await matchResult(value, options);
  if (!pass) throw Object.assign(new Error(message()), { requirements });
}

/** For `expect.extend(contractMatchers)`: `await expect(response).toMatchContract({ method: "POST" })`. */
export const contractMatchers = {
  toMatchContract: (value: CheckableReply, options: ExpectOptions = {}) => matchResult(value, options),
};

async function matchResult(value: CheckableReply, options: ExpectOptions) {
  const exchange = await exchangeIn(value, options);
  const { request, reply } = wireOf(exchange);
  const name = withoutSecretsIn(`${exchange.method} ${exchange.url}`, new Set());
  if (!isOfThisApi(request))
    throw new Error(
      `${name} is not an operation of this API, so the reply cannot be checked. ` +
        'Name the operation, for example { method: "POST", path: "/threads" }.',
    );
  const problem = problemOf({ request, reply });
  if (problem !== undefined) throw new Error(`${name} cannot be checked: ${problem}.`);
  const secrets = secretsIn(request);
  const findings = await findingsOf({ request, reply }, exchange, secrets);
  const failing = findings.filter(({ verdict }) => options.strict || verdict === "FAIL");
  const rest = failing.length - MAX_FINDINGS;
  return {
    pass: failing.length === 0,
    requirements: [...new Set(failing.map(({ requirement }) => requirement))],
    message() {
      const { curl, replyBody } = exchangeOf(request, reply, exchange.url, secrets);
      return [
        `${name} → ${reply.status} ${failing.length === 0 ? "keeps" : "breaks"} the contract`,
        ...failing.slice(0, MAX_FINDINGS).flatMap(findingLines),
        ...(rest > 0 ? [`  and ${rest} more findings`] : []),
        `    ${replyBody.slice(0, MAX_REPLY_CHARACTERS)}`,
        `    ${curl}`,
      ]
        .map(printable)
        .join("\n");
    },
  };
}

/** Checks a recorded exchange; undefined when this API has no such operation. */
export async function checkExchange(
  line: RecordingLine,
  profile: Profile,
): Promise<ExchangeResult | undefined> {
  const exchange = await exchangeIn(line, {});
  const wire = wireOf(exchange);
  if (!isOfThisApi(wire.request)) return undefined;
  const problem = problemOf(wire);
  const parsed = problem === undefined ? undefined : parseExchange(wire.request, wire.reply, profile);
  const findings =
    parsed && problem !== undefined
      ? [uncheckedFinding(parsed, problem)]
      : await findingsOf(wire, exchange, secretsIn(wire.request), profile);
  return { verdict: worst(findings), findings };
}

/** Loads what matching needs: for `beforeAll`, before a test's own time limit runs. */
export async function prepareMatching(): Promise<void> {
  await openTableOracle();
}
