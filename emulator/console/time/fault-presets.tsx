import { signal } from "@preact/signals";
import { FAULT_PRESETS } from "../../../contracts/spec/faults.ts";
import { CONTROL_PATH } from "../../client/control-client.ts";
import type { MatchGroup } from "../../control/find.ts";
import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import type { WorldView } from "../../subjects/control-operation.ts";
import { control, perform, runningAction } from "../model/actions.ts";
import { asOf, present } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { addressOf, go } from "../model/router.ts";
import { isReadOnly } from "../model/token.ts";
import { pathOf, worldName } from "../model/world-address.ts";
import { useDrag } from "../parts/drag.ts";

type Preset = keyof typeof FAULT_PRESETS;

/** The preset that is being dragged, or moved with the arrow keys, and the mark that it would be dropped on. */
const carried = signal<{ readonly preset: Preset; readonly mark: Element | null } | null>(null);

/** How far from a mark (px) a preset may be dropped: marks are narrow. */
const REACH_PX = 24;

/**
 * Presets to drag onto a predicted event of an export. Enter picks one up, the arrow keys select the event, and Enter
 * drops it. Escape cancels. The drop forks the world, arms the fault in the fork, and compares both worlds.
 */
export function FaultPresets() {
  const { preset, mark = null } = carried.value ?? {};
  const rule = useResource(`rule ${preset} ${eventOf(mark)}`, async () =>
    preset && mark ? ruleOf(preset, eventOf(mark)) : undefined,
  ).value;
  return (
    <details class="fault-presets">
      <summary>Drag a fault onto the future</summary>
      <div class="row">
        {(Object.keys(FAULT_PRESETS) as Preset[]).map((preset) => (
          <PresetChip key={preset} preset={preset} />
        ))}
      </div>
      <p class="muted" role="status">
        {carried.value === null
          ? "Drop it on a hatched mark of an export: a fork gets the fault, and both worlds are compared. With the keyboard: Enter, arrow keys, Enter."
          : rule && mark
            ? `${carried.value.preset} on ${eventOf(carried.value.mark)}, where ${JSON.stringify(rule.match)}`
            : `${carried.value.preset}: no predicted event of an export is here.`}
      </p>
      {carried.value?.mark && <Target mark={carried.value.mark} />}
    </details>
  );
}

/** A frame around the mark. */
function Target({ mark }: { readonly mark: Element }) {
  const { left, top, width, height } = mark.getBoundingClientRect();
  const style = {
    left: `${left - 4}px`,
    top: `${top - 4}px`,
    width: `${width + 8}px`,
    height: `${height + 8}px`,
  };
  return <span class="drop-target" style={style} />;
}

function PresetChip({ preset }: { preset: Preset }) {
  const drop = () => {
    const mark = carried.value?.mark;
    cancel();
    if (mark) void ruleOf(preset, eventOf(mark)).then(forkWithFault);
  };
  const drag = useDrag({
    begin: () => {},
    move({ clientX, clientY }) {
      carried.value = { preset, mark: nearestMark(clientX, clientY) };
    },
    drop,
    cancel,
  });
  const onKey = (event: KeyboardEvent) => {
    const act = carried.value
      ? { Enter: drop, Escape: cancel, ArrowLeft: () => step(-1), ArrowRight: () => step(1) }[event.key]
      : { Enter: () => step(1) }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const step = (by: number) => {
    const marks = futureMarks();
    const mark = carried.value?.mark ?? null;
    const next = marks[(mark ? marks.indexOf(mark) : -1) + by];
    carried.value = { preset, mark: next ?? mark };
  };
  return (
    <button
      type="button"
      class={`button chip${carried.value?.preset === preset ? " carried" : ""}`}
      title={FAULT_PRESETS[preset].summary}
      disabled={isReadOnly.value || runningAction.value !== null}
      onKeyDown={onKey}
      onBlur={cancel}
      {...drag}
    >
      <span aria-hidden="true">↯</span> {preset}
    </button>
  );
}

function cancel(): void {
  carried.value = null;
}

/** The visible predicted events of exports, from left to right. */
function futureMarks(): readonly Element[] {
  const marks = [...document.querySelectorAll('.mark[data-event^="export"]')];
  return marks.sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left);
}

function nearestMark(x: number, y: number): Element | null {
  const distance = (mark: Element) => {
    const { left, right, top, bottom } = mark.getBoundingClientRect();
    return Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
  };
  const [nearest] = [...futureMarks()].sort((a, b) => distance(a) - distance(b));
  return nearest && distance(nearest) <= REACH_PX ? nearest : null;
}

function eventOf(mark: Element | null): string {
  return mark?.getAttribute("data-event") ?? "";
}

/** The preset for the export, or the run, of an event. An export that a schedule will create has no id yet. */
async function ruleOf(preset: Preset, event: string) {
  const [kind = "", ref = ""] = event.split(" ");
  const { target, match } = FAULT_PRESETS[preset];
  const isOfRun = kind.startsWith("export_run.") && target === "worker";
  const ofRun = isOfRun && !("at" in match && match.at === "export.running");
  if (ofRun) return { preset, match: { run: ref } };
  const owner = await ownerOf(ref);
  return { preset, match: owner && owner.interval_hours === null ? { export_id: owner.id } : {} };
}

/** The export with this id, or with this run. */
async function ownerOf(ref: string): Promise<ExportOverview | undefined> {
  const groups = await present.call<readonly MatchGroup[]>(
    "GET",
    `/find?${new URLSearchParams({ text: ref })}`,
  );
  const run = groups.find(({ kind }) => kind === "export_run")?.items.find(({ id }) => id === ref);
  return present.call<ExportOverview>("GET", `/exports/${run?.of ?? ref}`).catch(() => undefined);
}

async function forkWithFault(rule: Awaited<ReturnType<typeof ruleOf>>): Promise<void> {
  const from = { from: worldName, ...(asOf.value !== null && { at: asOf.value }) };
  const fork = await perform<WorldView>(`Fork ${worldName}`, control("POST", "/worlds", from));
  if (!fork) return;
  const path = `${pathOf(fork.id)}${CONTROL_PATH}/faults`;
  const fault = await perform(`Arm ${rule.preset} in ${fork.id}`, { method: "POST", path, body: rule });
  if (fault) go(addressOf("worlds", fork.id, { as_of: null }));
}
