import { type Case, type CaseRow, suite } from "../engine/case.ts";
import { accepted, equal, refused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import type { Need } from "../engine/needs.ts";
import { GATES, versionsAround } from "../facts/versions.ts";
import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";
import { temporaryPair } from "./destinations.ts";
import { createDestination, placeOrder, prepareOrder } from "./export-helpers.ts";

/** A feature of §9.4, with a request that needs it and one that does not; both return the status. */
interface Feature {
  readonly name: string;
  readonly gate: Readonly<Record<Component, string>>;
  readonly requirement: RequirementId;
  readonly needs: readonly Need[];
  /** The choice of the status of a refusal. */
  readonly refusal: AssumptionId;
  request(t: Contract, isOld: boolean): Promise<number>;
  requestWithout(t: Contract): Promise<number>;
}

type Component = "service" | "application";

async function orderStatus(t: Contract, more: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const order = await prepareOrder(t);
  if (order.madeUp.length > 0) t.lack(order.madeUp.join(" and "));
  const from = "interval_hours" in more ? await t.now() : order.from;
  return (await placeOrder(t, { ...order, from }, more)).status;
}

const FEATURES: Readonly<Record<string, Feature>> = {
  "2.4/session-token": {
    name: "a session token",
    gate: GATES.session_token,
    requirement: "2.4-3",
    needs: ["writes", "store_keys"],
    refusal: "destination.session_token_gate",
    request: async (t) => (await createDestination(t, {}, await temporaryPair(t))).status,
    requestWithout: async (t) => (await createDestination(t)).status,
  },
  "2.5/scheduled": {
    name: "a scheduled export",
    gate: GATES.scheduled_exports,
    requirement: "2.5-8",
    needs: ["writes"],
    refusal: "platform.version_gate",
    request: (t) => orderStatus(t, { interval_hours: 6 }),
    requestWithout: orderStatus,
  },
  "2.5/export-fields": {
    name: "export_fields",
    gate: GATES.export_fields,
    requirement: "2.5-5",
    needs: ["writes"],
    refusal: "platform.version_gate",
    // A schedule accepts it as well, but older versions have no schedules.
    request: (t, isOld) => orderStatus(t, { export_fields: ["id"], ...(!isOld && { interval_hours: 6 }) }),
    requestWithout: orderStatus,
  },
};

function caseAt({ requirement, needs, ...feature }: Feature, what: string, isOld: boolean): CaseRow {
  const { gate, refusal } = feature;
  const versions = { ...gate, ...Object.fromEntries([what.split(" ")]) };
  return {
    title: `${feature.name} is ${isOld ? "refused" : "accepted"} by ${what}`,
    requirements: [requirement, "9-2"],
    needs,
    settings: { versions },
    async run(t) {
      const status = await feature.request(t, isOld);
      for (const id of [requirement, "9-2"] as const)
        t.fact(
          id,
          isOld ? refused(status) : accepted(status),
          `${what} ${isOld ? "refuses" : "accepts"} ${feature.name}`,
        );
      if (!isOld) return;
      t.choice(refusal, equal(status, 422), "the reply is 422");
      const without = await feature.requestWithout(t);
      t.fact(requirement, accepted(without), `a request without ${feature.name} is accepted`);
    },
  };
}

/** Either of the two numbers of a version alone is too low; for newer versions both are the gate's or above. */
function casesOf([slug, feature]: readonly [string, Feature]): readonly Case[] {
  const rows = (["service", "application"] as const).flatMap((component) => {
    const { older, newer } = versionsAround(feature.gate[component]);
    return [
      ...older.map((version) => [`${component} ${version}`, true] as const),
      ...newer
        .slice(component === "service" ? 0 : 1)
        .map((version) => [`${component} ${version}`, false] as const),
    ];
  });
  return suite(
    Object.fromEntries(
      rows.map(([what, isOld]) => [`${slug}-${what.replace(" ", "-")}`, caseAt(feature, what, isOld)]),
    ),
  );
}

export const VERSION_GATE_CASES: readonly Case[] = Object.entries(FEATURES).flatMap(casesOf);
