/** §9.4: which version brought a feature, written down from the specification a second time. */
export const GATES = {
  session_token: { service: "0.10.34", application: "0.10.91" },
  scheduled_exports: { service: "0.10.42", application: "0.10.109" },
  export_fields: { service: "0.12.11", application: "0.12.42" },
  webhook_settings: { agent_server: "0.5.36" },
  disable_webhooks: { agent_server: "0.2.78" },
} as const;

type Versions = Readonly<Record<string, string>>;

/** The last versions before those: the same numbers, each with a last part that is one less. */
export function before(versions: Versions): Versions {
  return Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, previous(version)]));
}

function previous(version: string): string {
  return version.replace(/\d+$/, (last) => String(Number(last) - 1));
}
