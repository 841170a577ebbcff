import type { WorldView } from "../../subjects/control-operation.ts";
import { control } from "../model/actions.ts";
import { consoleOf, worldName } from "../model/place.ts";
import { Action } from "../parts/action.tsx";

interface ForkFromProps {
  readonly turn: number;
  readonly label: string;
  /** The address of the view of the new world to show; its home when it is left out. */
  readonly view?: string;
}

/** Forks a world from a turn of this one, and shows it. */
export function ForkFrom({ turn, label, view = "" }: ForkFromProps) {
  return (
    <Action
      label={label}
      inPast
      call={control("POST", "/worlds", { from: worldName, at: turn })}
      done={(reply) => window.location.assign(consoleOf((reply as WorldView).id) + view)}
    />
  );
}
