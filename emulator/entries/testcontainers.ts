import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { DEFAULT_API_KEY } from "../domain/auth.ts";
import { SEEDED_KEY } from "../domain/object-storage/seed.ts";

const PORTS = { us: 4700, eu: 4701, s3: 4702 } as const;
const CONTROL_PATH = "/_emulator/v1";

/** An image of the emulator as a container; `docker build -t trace-platform-emulator .` makes the image. */
export class EmulatorContainer extends GenericContainer {
  constructor(image = "trace-platform-emulator") {
    super(image);
    this.withExposedPorts(...Object.values(PORTS));
    this.withWaitStrategy(Wait.forHttp("/readyz", PORTS.us).forStatusCode(200));
    this.withEnvironment({ EMULATOR_EPHEMERAL: "true" });
  }

  /** Time stands still at an instant until it is moved. */
  withFrozenClock(now: string): this {
    return this.withEnvironment({ EMULATOR_CLOCK: "frozen", EMULATOR_NOW: now });
  }

  /** What ids and samples are drawn from. */
  withSeed(seed: number): this {
    return this.withEnvironment({ EMULATOR_SEED: String(seed) });
  }

  override async start(): Promise<StartedEmulatorContainer> {
    return new StartedEmulatorContainer(await super.start());
  }
}

/** A container that answers, at the addresses that this machine reaches it by. */
export class StartedEmulatorContainer extends AbstractStartedContainer {
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;

  constructor(started: StartedTestContainer) {
    super(started);
    const origin = (port: number) => `http://${started.getHost()}:${started.getMappedPort(port)}`;
    this.url = origin(PORTS.us);
    this.euUrl = origin(PORTS.eu);
    this.s3Url = origin(PORTS.s3);
  }

  /** The variables that `emulator exec` gives its child, for this container. */
  environment(): Readonly<Record<string, string>> {
    return {
      EMULATOR_URL: this.url,
      EMULATOR_EU_URL: this.euUrl,
      EMULATOR_S3_URL: this.s3Url,
      AWS_ENDPOINT_URL_S3: this.s3Url,
      AWS_ACCESS_KEY_ID: SEEDED_KEY.access_key_id,
      AWS_SECRET_ACCESS_KEY: SEEDED_KEY.secret_access_key,
      AWS_REGION: "us-east-1",
      LANGSMITH_ENDPOINT: this.url,
      LANGSMITH_API_KEY: DEFAULT_API_KEY,
      LANGGRAPH_API_URL: this.url,
    };
  }

  /** Calls a test-only operation by its path below `/_emulator/v1`; rejects with its message when it is refused. */
  async control<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await fetch(`${this.url}${CONTROL_PATH}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const value = (await reply.json()) as T & { readonly error?: { readonly message: string } };
    if (!reply.ok) throw new Error(value.error?.message ?? `${method} ${path} answered ${reply.status}.`);
    return value;
  }
}
