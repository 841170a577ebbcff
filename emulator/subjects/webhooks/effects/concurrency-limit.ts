/** A FIFO semaphore per receiver and in total. Resolves with the function that releases the slot. */
export function createConcurrencyLimit(
  perReceiver: number,
  inTotal: number,
): (receiver: string) => Promise<() => void> {
  const taken = new Map<string, number>();
  let total = 0;
  let waiting: { readonly receiver: string; readonly start: () => void }[] = [];

  function admit(): void {
    waiting = waiting.filter(({ receiver, start }) => {
      const mine = taken.get(receiver) ?? 0;
      if (mine >= perReceiver || total >= inTotal) return true;
      taken.set(receiver, mine + 1);
      total += 1;
      start();
      return false;
    });
  }

  return (receiver) =>
    new Promise((resolve) => {
      const release = () => {
        const left = (taken.get(receiver) ?? 1) - 1;
        if (left === 0) taken.delete(receiver);
        else taken.set(receiver, left);
        total -= 1;
        admit();
      };
      waiting.push({ receiver, start: () => resolve(release) });
      admit();
    });
}
