import type { Target } from "../../contracts/engine/target.ts";
import { createContainerTarget } from "../../contracts/index.ts";
import { UsageError } from "../command.ts";
import { loadOptional } from "./optional-package.ts";

const TIMEOUT_MS = 60_000;

/** Script run by Node inside the container; requests the address given to it. */
const PROBE = `fetch(process.argv[1], { signal: AbortSignal.timeout(3000) }).then(
  () => process.exit(0),
  () => process.exit(1),
)`;

/** Starts an emulator in a container and stops it after the run; an empty image name selects the default. */
export async function containerTarget(options: string): Promise<Target> {
  const { EMULATOR_IMAGE, EmulatorContainer, HOST_NAME_INSIDE } = await loadOptional(
    "--target",
    "testcontainers@11",
    () => import("../../emulator/entries/testcontainers.ts"),
  );
  const image = options === "" ? EMULATOR_IMAGE : options;
  await refuseMissing(image, options === "");
  const container = await new EmulatorContainer(image)
    // This process stops the container, so the cleanup container and its image are not needed.
    .withAutoCleanup(false)
    .withStartupTimeout(TIMEOUT_MS)
    .start()
    .catch((error: Error) => {
      throw new UsageError(`--target: the image ${image} cannot be started: ${error.message}`);
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

/** A named image may be pulled; the default image is in no registry. */
async function refuseMissing(image: string, isUsual: boolean): Promise<void> {
  const { getContainerRuntimeClient, ImageName } = await import("testcontainers");
  const client = await getContainerRuntimeClient().catch(() => {
    throw new UsageError("--target: no container engine responds; start Docker, or set DOCKER_HOST");
  });
  if (isUsual && !(await client.image.exists(ImageName.fromString(image))))
    throw new UsageError(
      `--target: image ${image} not found; build it in a clone with \`docker build -t ${image} .\``,
    );
}
