import type { Target } from "../../contracts/engine/target.ts";
import { createContainerTarget } from "../../contracts/index.ts";
import { UsageError } from "../command.ts";

const TIMEOUT_MS = 60_000;

/** Run by Node inside of the container, with an address to ask for. */
const PROBE = `fetch(process.argv[1], { signal: AbortSignal.timeout(3000) }).then(
  () => process.exit(0),
  () => process.exit(1),
)`;

/** An emulator in a container that is started for the run and stopped after it; an empty image is the usual one. */
export async function containerTarget(options: string): Promise<Target> {
  const { EMULATOR_IMAGE, EmulatorContainer, HOST_NAME_INSIDE } = await loaded(
    () => import("../../emulator/entries/testcontainers.ts"),
  );
  const image = options === "" ? EMULATOR_IMAGE : options;
  await refuseMissing(image, options === "");
  const container = await new EmulatorContainer(image)
    // This process stops it, which needs no second container and no second image.
    .withAutoCleanup(false)
    .withStartupTimeout(TIMEOUT_MS)
    .start()
    .catch((error: Error) => {
      throw new UsageError(`--target: the image ${image} does not start: ${error.message}`);
    });
  return createContainerTarget({
    image,
    url: container.url,
    euUrl: container.euUrl,
    s3Url: container.s3Url,
    hostName: HOST_NAME_INSIDE,
    reaches: async (url) => (await container.exec(["node", "-e", PROBE, url])).exitCode === 0,
    stop: async () => void (await container.stop()),
  }).catch(async (error) => {
    await container.stop();
    throw error;
  });
}

/** The package that starts containers is brought by those who want it. */
async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError("--target: containers need a package; npm install --save-dev testcontainers@11");
  }
}

/** An image that is named may be fetched; the usual one is in no registry. */
async function refuseMissing(image: string, isUsual: boolean): Promise<void> {
  const { getContainerRuntimeClient, ImageName } = await loaded(() => import("testcontainers"));
  const client = await getContainerRuntimeClient().catch(() => {
    throw new UsageError("--target: no container engine answers; start Docker, or name it by DOCKER_HOST");
  });
  if (isUsual && !(await client.image.exists(ImageName.fromString(image))))
    throw new UsageError(
      `--target: there is no image ${image}; build it in a clone with \`docker build -t ${image} .\``,
    );
}
