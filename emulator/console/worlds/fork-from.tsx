import type { WorldView } from "../../subjects/control-operation.ts";
import { control } from "../model/actions.ts";
import { consoleOf, worldName } from "../model/world-address.ts";
import { Action } from "../parts/action.tsx";

interface ForkFromProps {
  readonly turn: number;
  readonly label: string;
  /** The address of the view to show in the new world; default: its home. */
  readonly view?: string;
}

/** Forks a world from a turn of this world, and opens it. */
export function ForkFrom({ turn, label, view = "" }: ForkFromProps) {
  return (
    <Action
      label={label}
      worksInHistory
      call={control("POST", "/worlds", { from: worldName, at: turn })}
      onDone={(reply) => window.location.assign(consoleOf((reply as WorldView).id) + view)}
    />
  );
}
