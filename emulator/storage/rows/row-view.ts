import type { Partition, TraceStore } from "../../subjects/traces/port.ts";
import type { NamedRows } from "../pool/names.ts";
import type { LocatedFile } from "./plan.ts";

/** The trace rows of a world as it is, or as it was. */
export interface RowView extends TraceStore {
  /** Identifies its world for the encoder threads, which read its files. */
  readonly key: string;
  /** Where the rows of a partition lie; all of them are in files then. */
  rowFiles(partition: Partition): readonly LocatedFile[];
  /** All files. */
  names(): NamedRows;
  /** The rows as they were when the next row got this number; to be read while this world is in use. */
  asOf(mark: number): RowView;
}
