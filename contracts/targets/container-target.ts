import type { Need } from "../engine/needs.ts";
import type { Target } from "../engine/target.ts";
import { createAddressTarget } from "./address-target.ts";
import { openObjectStore } from "./object-store.ts";
import { REACH } from "./reach.ts";
import { openReceiver } from "./receiver.ts";

/** An emulator in a container that was started for the run, by its addresses on this machine. */
export interface StartedContainer {
  readonly image: string;
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  /** Host name of this machine inside the container. */
  readonly hostName: string;
  /** Whether a URL can be reached from inside the container. */
  reaches(url: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Every case may run, since the container is not shared; closing the target stops it. */
export async function createContainerTarget(container: StartedContainer): Promise<Target> {
  const { image, url, euUrl, s3Url, hostName } = container;
  const target = await createAddressTarget({ url, euUrl, allowWrites: true, isOwn: true, world: "main" });
  const offers = new Set<Need>(target.offers);
  if (!(await canReachHost(container))) offers.delete("receiver");
  const reach = { ...REACH, receiver: () => openReceiver(hostName) };
  return {
    ...target,
    name: `container of ${image}`,
    temporaryServer: "the container of the run",
    offers,
    async open(settings) {
      const session = await target.open(settings);
      // The emulator reports the address that its store has inside the container.
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

/** Whether the container reaches this machine: a firewall may prevent it. */
async function canReachHost({ hostName, reaches }: StartedContainer): Promise<boolean> {
  const receiver = await openReceiver(hostName);
  try {
    return await reaches(receiver.url);
  } finally {
    await receiver.close();
  }
}
