import type { AssumptionId } from "../../../contracts/spec/assumptions.ts";
import type { InjectFault } from "../../http/fault.ts";
import type { AdvanceTarget } from "../../kernel/advance.ts";
import type { AsOf } from "../../kernel/as-of.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { ObjectStore } from "../../s3/object-store.ts";
import type { History } from "../../storage/history/history.ts";
import type { NamedRows } from "../../storage/pool/names.ts";
import type { DryRunResult, Oracle } from "../../subjects/control-operation.ts";
import type { World } from "../../subjects/turn.ts";
import type { GenerationProgress } from "../../subjects/work-progress.ts";
import type { Clock } from "./clock.ts";
import type { Resumption } from "./resumption.ts";
import type { ForkSource } from "./world-state.ts";

/** One world with everything that it works with: what is kept, what drives it, what it reaches outside. */
export interface WorldRuntime {
  readonly world: World;
  readonly clock: Clock;
  /** Triggers the armed HTTP faults; none in a state of the history. */
  readonly injectFault: InjectFault;
  readonly objects: ObjectStore;
  readonly oracle: Oracle;
  readonly generations: Set<GenerationProgress>;
  /** Where people find the objects of its embedded store, which has all of them once this returns. */
  objectsFolder(): string;
  /** True for a world that has still to be given what a fresh one holds. */
  readonly isFresh: boolean;
  /** Advances a copy of the world with stubbed effects, and discards it. */
  dryRun(target: AdvanceTarget): Promise<DryRunResult>;
  /** The open choices of the specification that were read; undefined where they are not noted. */
  readonly choices: ReadonlySet<AssumptionId> | undefined;
  /** The files of its trace rows. */
  rowNames(): NamedRows;
  stats(): { readonly rows: number; readonly bytes: number };
  /** Calls `use` once no effect is in flight; the fork source is valid until `use` returns. */
  whenIdle<T>(use: (source: ForkSource) => T): Promise<T>;
  /** Its last turns, and the states that they have led to. */
  readonly history: History;
  /** A read-only world over the state at a point in the history; refuses a point out of reach (422). */
  asOf(at: AsOf): WorldRuntime;
  /** The source of a fork from a point in the history; refuses a point out of reach (422). */
  sourceAsOf(at: AsOf): ForkSource;
  /** Resolves when all that has been asked so far survives the end of the process; undefined when it does. */
  persisted(): Promise<void> | undefined;
  /** Lets the time of a stored world continue. To be called at once after opening. */
  resumeTime(): Promise<Resumption>;
  /** Ends the world and releases its folders without saving, for another one to take its place. */
  end(reason: Refusal): Promise<void>;
  /** Saves the state and releases the folders. Work for users that can wait ends at an instant of `performance.now()`. */
  close(stopBy: number): Promise<void>;
}
