import {
  WEBHOOK_URL_RULES,
  type WebhookUrlRule,
  type WebhookUrlRuleName,
} from "../../../contracts/spec/webhooks/settings.ts";
import type { Settings } from "../settings.ts";
import { isAddress } from "./addresses.ts";
import { maskedUrl } from "./mask.ts";
import {
  hostOf,
  passedBy,
  policyOf,
  portOf,
  type WebhookPolicy,
  type WebhookRefusal,
  webhookRefusal,
  webhookTarget,
} from "./policy.ts";

/** The verdict of one rule on a URL; `when_sent`: decided by the resolved address at delivery. */
export type RuleVerdict = "passed" | "refused" | "off" | "not_reached" | "when_sent";

/** The deciding rule of §6.1 for a URL and the verdicts of all rules. */
export function explainWebhook(settings: Pick<Settings, "webhooks" | "assumptions">, url: string) {
  const policy = policyOf(settings);
  const urlRefusal = webhookRefusal(policy, url);
  const target = webhookTarget(url);
  const names = Object.keys(WEBHOOK_URL_RULES) as WebhookUrlRuleName[];
  const decided = urlRefusal ? names.indexOf(urlRefusal.rule) : names.length;
  const rules = names.map((rule, at) => {
    const { requirement, setting }: WebhookUrlRule = WEBHOOK_URL_RULES[rule];
    const verdict: RuleVerdict =
      at > decided ? "not_reached" : at === decided ? "refused" : passedVerdict(policy, rule, target);
    return { rule, verdict, requirement, ...(setting && { setting }) };
  });
  const isOpen = !urlRefusal && rules.some(({ verdict }) => verdict === "when_sent");
  return {
    url: maskedUrl(url),
    allowed: urlRefusal === undefined,
    ...outcome(settings.webhooks.disabled, urlRefusal, isOpen),
    rule: urlRefusal?.rule ?? null,
    passed_by: passedBy(policy, url),
    target: targetView(target),
    rules,
  };
}

/** Whether the rules let a delivery leave; null if only the resolved address decides. */
function outcome(disabled: boolean, urlRefusal: WebhookRefusal | undefined, isOpen: boolean) {
  if (urlRefusal) return { delivered: false, message: urlRefusal.message };
  if (disabled) return { delivered: false, message: "No rule refuses it, but webhooks are switched off." };
  if (isOpen) return { delivered: null, message: "Refused when it is sent if the host is a local address." };
  return { delivered: true, message: "No rule refuses it." };
}

type Target = ReturnType<typeof webhookTarget>;

/** Whether a rule applies under this policy and kind of URL. */
const IS_ON: Readonly<Record<WebhookUrlRuleName, (policy: WebhookPolicy, isRemote: boolean) => boolean>> = {
  length: () => true,
  form: () => true,
  loopback: (_, isRemote) => !isRemote,
  control: (_, isRemote) => !isRemote,
  https: ({ requireHttps }, isRemote) => isRemote && requireHttps,
  port: (_, isRemote) => isRemote,
  domain: ({ allowedDomains }, isRemote) => isRemote && allowedDomains !== null,
  address: ({ allowLocal }, isRemote) => isRemote && !allowLocal,
};

function passedVerdict(policy: WebhookPolicy, rule: WebhookUrlRuleName, target: Target): RuleVerdict {
  if (!IS_ON[rule](policy, target?.kind === "remote")) return "off";
  const isName = target?.kind === "remote" && !isAddress(hostOf(target.url));
  return rule === "address" && isName ? "when_sent" : "passed";
}

function targetView(target: Target) {
  if (!target) return null;
  if (target.kind === "loopback") return { kind: target.kind, path: maskedUrl(target.path) };
  const { url } = target;
  return { kind: target.kind, scheme: url.protocol.slice(0, -1), host: hostOf(url), port: portOf(url) };
}
