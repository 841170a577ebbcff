import { type BodyFile, objects, s3Parts } from "../../subjects/object-storage/records.ts";
import { fileOfBody } from "../objects/body-location.ts";
import { ownerOf } from "../pool/names.ts";
import { DATA, INDEX } from "../rows/segment.ts";
import type { StoredState } from "./state.ts";

/** Every file of rows and every object body that a state leads to. */
export function* filesNamedBy({ state, rows }: StoredState): Iterable<string> {
  for (const { rowFiles } of rows.segments)
    for (const { file } of rowFiles) {
      yield file + DATA;
      yield file + INDEX;
    }
  for (const { name } of [objects, s3Parts])
    for (const { record } of state.records[name] ?? []) yield fileOfBody((record as BodyFile).file);
}

/** The owners of these files. */
export function ownersNamedBy(state: StoredState): number[] {
  const owners = new Set<number>();
  for (const file of filesNamedBy(state)) owners.add(ownerOf(file));
  return [...owners];
}
