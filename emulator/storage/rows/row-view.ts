import type { Partition, TraceStore } from "../../subjects/traces/port.ts";
import type { NamedRows } from "../pool/names.ts";
import type { LocatedFile } from "./plan.ts";

/** The trace rows of a world, now or at an earlier turn. */
export interface RowView extends TraceStore {
  /** Identifies its world for the encoder threads, which read its files. */
  readonly key: string;
  /** The files of the rows of a partition. Pending rows are written first. */
  rowFiles(partition: Partition): readonly LocatedFile[];
  /** All row files. */
  names(): NamedRows;
  /** The rows with numbers below the mark. Valid while this world is in use. */
  asOf(mark: number): RowView;
}
