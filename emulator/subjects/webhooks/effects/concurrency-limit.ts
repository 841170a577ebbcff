/** A FIFO semaphore per receiver and in total. Resolves with the function that releases the slot. */
export function createConcurrencyLimit(
  perReceiver: number,
  inTotal: number,
): (receiver: string) => Promise<() => void> {
  const callsByReceiver = new Map<string, number>();
  let total = 0;
  let waiting: { readonly receiver: string; readonly start: () => void }[] = [];

  function admit(): void {
    waiting = waiting.filter(({ receiver, start }) => {
      const mine = callsByReceiver.get(receiver) ?? 0;
      if (mine >= perReceiver || total >= inTotal) return true;
      callsByReceiver.set(receiver, mine + 1);
      total += 1;
      start();
      return false;
    });
  }

  return (receiver) =>
    new Promise((resolve) => {
      const release = () => {
        const remainingCalls = (callsByReceiver.get(receiver) ?? 1) - 1;
        if (remainingCalls === 0) callsByReceiver.delete(receiver);
        else callsByReceiver.set(receiver, remainingCalls);
        total -= 1;
        admit();
      };
      waiting.push({ receiver, start: () => resolve(release) });
      admit();
    });
}
