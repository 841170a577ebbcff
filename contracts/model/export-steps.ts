import { accepted, isRefused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { DAY, iso, midnight } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import {
  cancel,
  EXPORTS,
  type ExportBody,
  exportBody,
  type Order,
  prepareOrder,
  requireExport,
} from "../suites/export-helpers.ts";
import { hasList, listIn, readExport, readRun } from "../suites/reading.ts";
import { expectSame, expectThat } from "./difference.ts";
import {
  brokenBy,
  checkExportRuns,
  checkExports,
  type ExportModel,
  isFinal,
  learnStatus,
  type SeenExport,
  type SeenExportRun,
} from "./export-model.ts";

/** The exports of one sequence of requests. */
export interface Exports {
  readonly exports: ExportModel[];
  /** What exports are ordered with; undefined before the first one. */
  order: Order | undefined;
}

export type ExportStep =
  | {
      readonly do: "order";
      readonly days: number;
      readonly hours: number | undefined;
      /** A required member that is left out; `end_time` is added where it is not allowed. */
      readonly wrong: string | undefined;
      readonly fields: readonly string[] | undefined;
    }
  | { readonly do: "read" | "runs" | "cancel"; readonly export: number }
  | { readonly do: "exports" };

/** Takes a step, and throws a `Difference` when a reply is not as expected. */
export async function takeExportStep(step: ExportStep, model: Exports, t: Contract): Promise<void> {
  if (step.do === "order") return order(step, model, t);
  if (step.do === "exports") return listExports(model, t);
  const exportModel = model.exports[step.export % model.exports.length];
  if (!exportModel) return;
  if (step.do === "cancel") await cancel(t, exportModel.id);
  await read(exportModel, t);
  if (step.do === "cancel")
    expectThat(
      "3.1-2",
      isFinal(exportModel.status),
      "an export has ended after PATCH",
      "CANCELLED",
      exportModel.status,
    );
  if (step.do === "runs") await readRuns(exportModel, t);
}

async function order(step: Extract<ExportStep, { do: "order" }>, model: Exports, t: Contract): Promise<void> {
  model.order ??= await prepareOrder(t);
  const { days, hours, wrong, fields } = step;
  // Older versions refuse both (§9.4).
  if ((hours !== undefined && !t.has("schedules")) || (fields && !t.has("columns"))) return;
  // The first window of a schedule is not over, so that none is missed.
  const from = hours === undefined ? model.order.from : midnight(await t.now());
  const window = { ...model.order, from, to: from + days * DAY };
  const isScheduled = hours !== undefined;
  const body = Object.fromEntries(
    Object.entries({
      ...exportBody(window, { interval_hours: hours, export_fields: fields }),
      ...(wrong !== undefined && {
        [wrong]: isScheduled && wrong === "end_time" ? iso(window.to) : undefined,
      }),
    }).filter(([, value]) => value !== undefined),
  );
  const reply = await t.call<ExportBody>("POST", EXPORTS, { body });
  const broken = brokenBy(body);
  if (broken)
    return expectThat(broken, isRefused(reply.status), "a wrong export is refused", "4xx", reply.status);
  if (model.order.madeUp.length === 0)
    expectThat("4.3-1", accepted(reply.status).holds, "an export is created", "2xx", reply.status);
  const { id } = requireExport(t, model.order, reply);
  const isNew = model.exports.every((exportModel) => exportModel.id !== id);
  expectThat("4.3-1", isNew, "each export has an id of its own", "a new id", id);
  model.exports.push({ id, order: body, days, status: "CREATED" });
}

async function listExports({ exports }: Exports, t: Contract): Promise<void> {
  const { body } = await t.call<unknown>("GET", EXPORTS);
  expectThat("4.6-1", hasList(body), "the body of the list of exports", "a list", body);
  const now = t.has("clock") ? await t.now() : undefined;
  checkExports(exports, listIn(body).map(readExport<SeenExport>), now);
}

async function read(exportModel: ExportModel, t: Contract): Promise<void> {
  const { status, body } = await t.call("GET", `${EXPORTS}/${exportModel.id}`);
  expectSame("4.4-1", "status of the reply for an export", status, 200);
  const seenExport = readExport<SeenExport & Members>(body);
  expectSame("4.4-1", "id of an export", seenExport.id, exportModel.id);
  learnStatus(exportModel, seenExport);
  for (const name of ["session_id", "bulk_export_destination_id", "interval_hours"])
    if (exportModel.order[name] !== undefined && seenExport[name] != null)
      expectSame("4.4-1", `${name} of an export`, seenExport[name], exportModel.order[name]);
}

async function readRuns(exportModel: ExportModel, t: Contract): Promise<void> {
  const { body } = await t.call<unknown>("GET", `${EXPORTS}/${exportModel.id}/runs`);
  expectThat("4.5-1", hasList(body), "the body of the list of an export's runs", "a list", body);
  checkExportRuns(exportModel, listIn(body).map(readRun<SeenExportRun>));
}
