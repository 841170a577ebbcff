import type { Need } from "../engine/needs.ts";
import type { Target } from "../engine/target.ts";
import { createAddressTarget } from "./address-target.ts";
import { openObjectStore } from "./object-store.ts";
import { REACH } from "./reach.ts";
import { openReceiver } from "./receiver.ts";

/** An emulator in a container that was started to be judged, at the addresses that this machine reaches it by. */
export interface StartedContainer {
  readonly image: string;
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  /** What this machine is called inside of the container. */
  readonly hostName: string;
  /** Asks for an address from inside of the container. */
  reaches(url: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Nobody else has anything on it, so every case may be asked; closing it stops the container. */
export async function createContainerTarget(container: StartedContainer): Promise<Target> {
  const { image, url, euUrl, s3Url, hostName } = container;
  const target = await createAddressTarget({ url, euUrl, allowWrites: true, isOwn: true, world: "main" });
  const offers = new Set<Need>(target.offers);
  if (!(await canReachHost(container))) offers.delete("receiver");
  const reach = { ...REACH, receiver: () => openReceiver(hostName) };
  return {
    ...target,
    name: `container of ${image}`,
    fleeting: "the container of the run",
    offers,
    async open(settings) {
      const session = await target.open(settings);
      // The store gives itself the address that it has inside.
      const objects = openObjectStore(s3Url, session.identity.bucket);
      const close = async () => {
        objects.close();
        await session.close();
      };
      return { ...session, objects, reach, close };
    },
    async close() {
      await target.close();
      await container.stop();
    },
  };
}

/** A firewall on this machine may let nothing in from its own containers. */
async function canReachHost({ hostName, reaches }: StartedContainer): Promise<boolean> {
  const receiver = await openReceiver(hostName);
  try {
    return await reaches(receiver.url);
  } finally {
    await receiver.close();
  }
}
