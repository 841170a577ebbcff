/** §9.4: which version brought a feature, written down from the specification a second time. */
export const GATES = {
  session_token: { service: "0.10.34", application: "0.10.91" },
  scheduled_exports: { service: "0.10.42", application: "0.10.109" },
  export_fields: { service: "0.12.11", application: "0.12.42" },
  webhook_settings: { agent_server: "0.5.36" },
  disable_webhooks: { agent_server: "0.2.78" },
} as const;

type Versions = Readonly<Record<string, string>>;

/** Those versions, but of one component the last one before: its last part is one less. */
export function before(versions: Versions, component: string): Versions {
  return { ...versions, [component]: previous(versions[component] ?? "") };
}

function previous(version: string): string {
  return version.replace(/\d+$/, (last) => String(Number(last) - 1));
}
