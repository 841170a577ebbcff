import { childEnvironment } from "./child-environment.ts";
import type { WorldAddresses } from "./views.ts";

/** The settings with which a client uses an emulator instead of the hosted service. */
export interface ClientSettings {
  /** The packages or programs. */
  readonly packages: string;
  /** The oldest version that reads the variables. Absent when no limit is known. */
  readonly minimum?: string;
  /** The versions with which the settings were checked last. */
  readonly checkedWith: string;
  readonly variables: Readonly<Record<string, string>>;
  /** A program, and the flags that it needs in addition to the variables. */
  readonly flags?: readonly [program: string, ...flags: string[]];
  /** Facts and steps that variables and flags do not cover, in Markdown. */
  readonly notes: readonly string[];
}

type Environment = ReturnType<typeof childEnvironment>;

/** The clients that have settings of their own, by the name that `emulator env --for` takes. */
const CLIENTS = {
  aws: (env) => ({
    packages: "AWS CLI, boto3, AWS SDK for JavaScript 3",
    minimum: "AWS CLI 2.13 or 1.29, boto3 1.28",
    checkedWith:
      "AWS CLI 2.9.19 (with the flag) and 1.45.11, boto3 1.43.107, @aws-sdk/client-s3 3.1169.0 and 3.1173.0",
    variables: { AWS_ENDPOINT_URL_S3: env.AWS_ENDPOINT_URL_S3, ...keys(env), ...regions(env) },
    flags: ["aws", "--endpoint-url", env.AWS_ENDPOINT_URL_S3],
    notes: [
      "Older versions ignore `AWS_ENDPOINT_URL_S3` and contact the real service.",
      `With an older AWS CLI add \`--endpoint-url ${env.AWS_ENDPOINT_URL_S3}\` to each command. The shell function \`aws\` adds it.`,
      `With an older boto3 write \`boto3.client("s3", endpoint_url="${env.AWS_ENDPOINT_URL_S3}")\`.`,
      "In us-east-1 `aws s3 presign` uses signature version 2, which is refused. Add `--region eu-central-1`.",
    ],
  }),
  s3cmd: (env) => {
    const { host } = new URL(env.AWS_ENDPOINT_URL_S3);
    return {
      packages: "s3cmd",
      checkedWith: "2.3.0",
      variables: keys(env),
      flags: ["s3cmd", `--host=${host}`, `--host-bucket=${host}`, "--no-ssl"],
      notes: [
        "s3cmd reads no address from the environment. Without these flags it contacts the real service. The shell function `s3cmd` adds them.",
        "s3cmd reaches only the world `main`.",
      ],
    };
  },
  rclone: (env) => ({
    packages: "rclone",
    checkedWith: "1.60.1",
    variables: {
      RCLONE_CONFIG_EMULATOR_TYPE: "s3",
      RCLONE_CONFIG_EMULATOR_PROVIDER: "Other",
      RCLONE_CONFIG_EMULATOR_ENDPOINT: env.AWS_ENDPOINT_URL_S3,
      RCLONE_CONFIG_EMULATOR_ACCESS_KEY_ID: env.AWS_ACCESS_KEY_ID,
      RCLONE_CONFIG_EMULATOR_SECRET_ACCESS_KEY: env.AWS_SECRET_ACCESS_KEY,
      RCLONE_CONFIG_EMULATOR_REGION: env.AWS_REGION,
    },
    notes: ["The variables define the remote `emulator`, for example `rclone ls emulator:traces`."],
  }),
  polars: (env) => ({
    packages: "polars (Python)",
    checkedWith: "1.44.2",
    // Older versions read AWS_ENDPOINT_URL only, and need permission for http.
    variables: { ...everyEndpoint(env), ...keys(env), ...regions(env), AWS_ALLOW_HTTP: "true" },
    notes: [],
  }),
  pyarrow: (env) => ({
    packages: "pyarrow (Python)",
    minimum: "14",
    checkedWith: "25.0.1",
    variables: { ...everyEndpoint(env), ...keys(env), ...regions(env) },
    notes: [
      'pyarrow reads the address from the environment only for `s3://` addresses, as in `pyarrow.parquet.read_table("s3://traces/…")`.',
      `\`pyarrow.fs.S3FileSystem()\` ignores \`AWS_ENDPOINT_URL_S3\` and contacts the real service. Write \`S3FileSystem(endpoint_override="${env.AWS_ENDPOINT_URL_S3}")\`.`,
    ],
  }),
  duckdb: (env) => ({
    packages: "DuckDB with its extension httpfs",
    minimum: "0.10",
    checkedWith: "none: the download of httpfs was not available",
    variables: {},
    notes: [
      "DuckDB reads no address from the environment. Without this statement it contacts the real service:",
      `\`CREATE SECRET (TYPE s3, KEY_ID '${env.AWS_ACCESS_KEY_ID}', SECRET '${env.AWS_SECRET_ACCESS_KEY}', ENDPOINT '${env.AWS_ENDPOINT_URL_S3.replace(/^\w+:\/\//, "")}', URL_STYLE 'path', USE_SSL false);\``,
    ],
  }),
  langsmith: (env) => ({
    packages: "langsmith (JavaScript, Python)",
    checkedWith: "JavaScript 0.12.0, Python 0.14.0",
    variables: {
      LANGSMITH_ENDPOINT: env.LANGSMITH_ENDPOINT,
      LANGSMITH_API_KEY: env.LANGSMITH_API_KEY,
      LANGSMITH_TRACING: "true",
    },
    notes: [],
  }),
  langgraph: (env) => ({
    packages: "@langchain/langgraph-sdk (JavaScript), langgraph-sdk (Python)",
    checkedWith: "JavaScript 1.15.0 and 2.0.0, Python 0.4.5",
    variables: { LANGGRAPH_API_URL: env.LANGGRAPH_API_URL, LANGSMITH_API_KEY: env.LANGSMITH_API_KEY },
    notes: [
      "These clients read the key from the environment, but not the address.",
      'Write `new Client({ apiUrl: process.env.LANGGRAPH_API_URL })`, or in Python `get_client(url=os.environ["LANGGRAPH_API_URL"])`.',
    ],
  }),
  otel: (env) => ({
    packages: "OpenTelemetry SDKs",
    checkedWith: "@opentelemetry/exporter-trace-otlp-http and -proto 0.223.1, -proto 0.301.1",
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${env.EMULATOR_URL}/otel`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${env.LANGSMITH_API_KEY}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    },
    notes: ["Use an exporter for OTLP over HTTP. gRPC is not supported."],
  }),
} satisfies Readonly<Record<string, (env: Environment) => ClientSettings>>;

/** A client that `emulator env --for` knows. */
export type ClientName = keyof typeof CLIENTS;

export const CLIENT_NAMES = Object.keys(CLIENTS) as readonly ClientName[];

/** The settings of a client for the emulator, or one of its worlds, at these addresses. */
export function clientSettings(name: ClientName, addresses: WorldAddresses): ClientSettings {
  return CLIENTS[name](childEnvironment(addresses));
}

function keys({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }: Environment) {
  return { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
}

/** The AWS CLI 1 and boto3 read only the second one. */
function regions({ AWS_REGION }: Environment) {
  return { AWS_REGION, AWS_DEFAULT_REGION: AWS_REGION };
}

function everyEndpoint({ AWS_ENDPOINT_URL_S3 }: Environment) {
  return { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL: AWS_ENDPOINT_URL_S3 };
}
