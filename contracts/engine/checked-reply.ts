import type { WireReply, WireRequest } from "./http-message.ts";
import { jsonOrText } from "./json.ts";
import type { Need } from "./needs.ts";
import type { Oracle, OracleFinding } from "./oracle/oracle.ts";

/** What the oracle finds in a reply, and the reply as the case reads it. */
interface CheckedReply {
  readonly findings: readonly OracleFinding[];
  readonly body: unknown;
}

interface Check {
  readonly oracle: Oracle | undefined;
  readonly offers: ReadonlySet<Need>;
  /** Forms of replies that the run has reported; absent where each is reported. */
  readonly reportedForms?: Set<string>;
  readonly secrets: ReadonlySet<string>;
  /** The oracle does not check this exchange. */
  readonly isUnchecked: boolean;
}

/**
 * Checks a reply. A foreign server may wrap all of its replies, or spell members in its own way: that is reported once in
 * a run, and the cases look through it, so that they find what else is wrong.
 */
export async function checkReply(
  request: WireRequest,
  reply: WireReply,
  { oracle, offers, reportedForms, secrets, isUnchecked }: Check,
): Promise<CheckedReply> {
  const form = reportedForms && !offers.has("control") ? oracle?.readForm?.(request, reply) : undefined;
  const check = async (text: string) => (await oracle?.check(request, { ...reply, text }, secrets)) ?? [];
  // A case that looks at a member of `null` would stumble.
  if (!form)
    return {
      findings: isUnchecked ? [] : await check(reply.text),
      body: jsonOrText(reply.text) ?? reply.text,
    };
  const findings = await check(JSON.stringify(form.body));
  const texts = new Set(findings.map(({ text }) => text));
  const ofForm = (await check(reply.text)).filter(({ text }) => !texts.has(text));
  const newOnes = ofForm.flatMap(({ isFatal: _, ...finding }) => {
    const key = `${finding.requirement} ${form.form} ${finding.text}`;
    if (reportedForms?.has(key)) return [];
    reportedForms?.add(key);
    return [{ ...finding, text: `${finding.text}; the reply has ${form.form}` }];
  });
  return { findings: [...newOnes, ...(isUnchecked ? [] : findings)], body: form.body };
}
