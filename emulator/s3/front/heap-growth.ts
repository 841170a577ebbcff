/** Bodies from this size on. */
const LARGE_BYTES = 256 * 1024;
/** So long after the last of them all is as usual. */
const QUIET_MS = 10_000;
const FREELY = "--heap-growing-percent=400";
/** V8's own choice. */
const AS_USUAL = "--heap-growing-percent=0";

let timer: NodeJS.Timeout | undefined;

/**
 * A body of so many bytes comes in. V8 takes the pieces of one for growth of its heap, and of a small heap collects all
 * garbage after every 12 MiB, which takes a third of the time of an upload. While large bodies come in, the heap may grow to five
 * times of what lives in it before that. Not from the start: what V8 has compiled ahead is for the flags that it was compiled with.
 */
export function prepareHeapFor(bytes: number): void {
  if (bytes < LARGE_BYTES) return;
  if (timer) {
    timer.refresh();
    return;
  }
  setFlag(FREELY);
  timer = setTimeout(() => {
    timer = undefined;
    setFlag(AS_USUAL);
  }, QUIET_MS).unref();
}

function setFlag(flag: string): void {
  process.getBuiltinModule("node:v8").setFlagsFromString(flag);
}
