import {
  AbstractStartedContainer,
  GenericContainer,
  getContainerRuntimeClient,
  type StartedTestContainer,
  Wait,
} from "testcontainers";
import { childEnvironment } from "../client/child-environment.ts";
import { CONTROL_PATH, createControlClient } from "../client/control-client.ts";
import { sendOverHttp } from "../client/send-over-http.ts";
import type { Control } from "../runtime/index.ts";

const PORTS = { us: 4700, eu: 4701, s3: 4702 } as const;
const ALLOWED_HOSTS = "EMULATOR_ALLOWED_HOSTS";

/** The image that `docker build -t trace-platform-emulator .` makes. */
export const EMULATOR_IMAGE = "trace-platform-emulator";

/** Host name of the test machine inside the container, for example in the URL of a webhook. */
export const HOST_NAME_INSIDE = "host.docker.internal";

/**
 * The emulator in a container, ephemeral.
 *
 * @example
 * const container = await new EmulatorContainer().withFrozenClock("2026-01-01T00:00:00Z").start();
 */
export class EmulatorContainer extends GenericContainer {
  constructor(image = EMULATOR_IMAGE) {
    super(image);
    this.withExposedPorts(...Object.values(PORTS));
    this.withWaitStrategy(Wait.forHttp(`${CONTROL_PATH}/status`, PORTS.us).forStatusCode(200));
    this.withEnvironment({ EMULATOR_EPHEMERAL: "true" });
    this.withExtraHosts([{ host: HOST_NAME_INSIDE, ipAddress: "host-gateway" }]);
  }

  /** Freezes the clock at an instant. */
  withFrozenClock(now: string): this {
    return this.withEnvironment({ EMULATOR_CLOCK: "frozen", EMULATOR_NOW: now });
  }

  /** Seed of ids and sample data. */
  withSeed(seed: number): this {
    return this.withEnvironment({ EMULATOR_SEED: String(seed) });
  }

  /** Host names at which control requests are accepted, in addition to the network aliases. */
  withAllowedHosts(...names: readonly string[]): this {
    const before = this.environment[ALLOWED_HOSTS];
    const allNames = before === undefined ? names : [before, ...names];
    return this.withEnvironment({ [ALLOWED_HOSTS]: allNames.join(",") });
  }

  /** Allowed hosts: the network aliases, and the name by which this machine reaches the container engine. */
  protected override async beforeContainerCreated(): Promise<void> {
    const { info } = await getContainerRuntimeClient();
    this.withAllowedHosts(...this.networkAliases, info.containerRuntime.host);
  }

  override async start(): Promise<StartedEmulatorContainer> {
    return new StartedEmulatorContainer(await super.start());
  }
}

/** A running container, with its addresses as seen from this machine. */
export class StartedEmulatorContainer extends AbstractStartedContainer {
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  /**
   * The object store as a destination names it in `endpoint_url`: exports are written inside of the container, where
   * `s3Url` leads nowhere as soon as it names localhost. Leaving `endpoint_url` out means the same.
   */
  readonly s3UrlInside = `http://localhost:${PORTS.s3}`;

  constructor(container: StartedTestContainer) {
    super(container);
    const origin = (port: number) => `http://${container.getHost()}:${container.getMappedPort(port)}`;
    this.url = origin(PORTS.us);
    this.euUrl = origin(PORTS.eu);
    this.s3Url = origin(PORTS.s3);
  }

  /** The variables that `emulator exec` gives its child, for this container. */
  environment(): Readonly<Record<string, string>> {
    return childEnvironment({ url: this.url, eu_url: this.euUrl, s3_url: this.s3Url });
  }

  /** Calls a test-only operation by its path below `/_emulator/v1`; typed by method and path. */
  get control(): Control {
    return createControlClient(sendOverHttp(this.url)).call as Control;
  }
}
