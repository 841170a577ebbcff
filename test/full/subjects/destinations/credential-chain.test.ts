import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chainCredentials } from "../../../../emulator/subjects/destinations/effects/credential-chain.ts";
import { openCredentials } from "../../../../emulator/subjects/destinations/effects/open-credentials.ts";
import { settingsWith } from "../../../support/world.ts";

const LATER = "2100-01-01T00:00:00Z";
const KEYS = { AWS_ACCESS_KEY_ID: "VARIABLE", AWS_SECRET_ACCESS_KEY: "s" };

let folder = "";
let before: NodeJS.ProcessEnv = {};
let requests: string[] = [];
let closeServer = async () => {};

const SSO_REPLY = {
  roleCredentials: {
    accessKeyId: "SSO",
    secretAccessKey: "s",
    sessionToken: "token",
    expiration: Date.parse(LATER),
  },
};

/** A server that answers as the container endpoint, as SSO, as STS, and as instance metadata would. */
async function startServer(): Promise<string> {
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url?.startsWith("/container")) response.end(JSON.stringify(jsonCredentials("CONTAINER")));
    else if (request.url?.startsWith("/sso")) response.end(JSON.stringify(SSO_REPLY));
    else response.end(stsReply("ROLE"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeServer = () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function jsonCredentials(name: string) {
  return { AccessKeyId: name, SecretAccessKey: "s", Token: "token", Expiration: LATER };
}

function stsReply(name: string): string {
  const credentials = `<Credentials><AccessKeyId>${name}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>token</SessionToken><Expiration>${LATER}</Expiration></Credentials>`;
  const operation = "AssumeRoleWithWebIdentity";
  return `<${operation}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${operation}Result>${credentials}</${operation}Result></${operation}Response>`;
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const search = async (): Promise<string | readonly string[]> => {
  const credentials = await chainCredentials(5000);
  return "tried" in credentials ? credentials.tried : credentials.accessKeyId;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "credential-chain-"));
  requests = [];
  before = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) delete process.env[name];
  const url = await startServer();
  Object.assign(process.env, {
    AWS_CONFIG_FILE: join(folder, "config"),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, "credentials"),
    HOME: folder,
    AWS_ENDPOINT_URL_SSO: `${url}/sso`,
    AWS_ENDPOINT_URL_STS: `${url}/sts`,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: `${url}/metadata`,
    CONTAINER_URL: `${url}/container`,
  });
});

afterEach(async () => {
  process.env = before;
  await closeServer();
  await rm(folder, { recursive: true, force: true });
});

describe("the credentials of the environment (§2.4-4)", () => {
  it("do not exist without configuration; instance metadata is never contacted", async () => {
    process.env.AWS_DEFAULTS_MODE = "auto";
    expect(await search()).toEqual(["shared files"]);
    expect(requests).toEqual([]);
  });

  it("are read from the variables first, then from shared files, web identity and the container", async () => {
    const token = await file("token", "web-identity-token");
    Object.assign(process.env, {
      ...KEYS,
      AWS_WEB_IDENTITY_TOKEN_FILE: token,
      AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/r",
      AWS_CONTAINER_CREDENTIALS_FULL_URI: process.env.CONTAINER_URL,
    });
    const path = await file(
      "credentials",
      "[default]\naws_access_key_id = FILE\naws_secret_access_key = s\n",
    );
    expect(await search()).toBe("VARIABLE");
    delete process.env.AWS_ACCESS_KEY_ID;
    expect(await search()).toBe("FILE");
    await rm(path);
    expect(await search()).toBe("ROLE");
    delete process.env.AWS_ROLE_ARN;
    expect(await search()).toBe("CONTAINER");
    expect(requests).toEqual(["POST /sts/", "GET /container"]);
  });

  it("are read from the profile of AWS_PROFILE even if the variables are set, as in the library", async () => {
    Object.assign(process.env, { ...KEYS, AWS_PROFILE: "other" });
    await file("credentials", "[other]\naws_access_key_id = PROFILE\naws_secret_access_key = s\n");
    expect(await search()).toBe("PROFILE");
  });

  it("are read from the process that a profile names", async () => {
    const { Token: SessionToken, ...keys } = jsonCredentials("PROCESS");
    const reply = await file("reply.json", JSON.stringify({ Version: 1, ...keys, SessionToken }));
    await file("config", `[default]\ncredential_process = cat ${reply}\n`);
    expect(await search()).toBe("PROCESS");
  });

  it("are read from SSO, if a profile names it and a session exists", async () => {
    const start = "https://sso.example.com/start";
    const profile = {
      sso_start_url: start,
      sso_region: "us-east-1",
      sso_account_id: "1",
      sso_role_name: "r",
    };
    const lines = Object.entries(profile).map(([name, value]) => `${name} = ${value}\n`);
    await file("config", `[default]\n${lines.join("")}`);
    expect(await search()).toEqual(["shared files"]);
    const cache = join(folder, ".aws/sso/cache");
    await mkdir(cache, { recursive: true });
    const name = createHash("sha1").update(start).digest("hex");
    await writeFile(join(cache, `${name}.json`), JSON.stringify({ accessToken: "t", expiresAt: LATER }));
    expect(await search()).toBe("SSO");
  });

  it("are read from the web identity that a profile names", async () => {
    const token = await file("token", "web-identity-token");
    await file(
      "config",
      `[default]\nrole_arn = arn:aws:iam::123456789012:role/r\nweb_identity_token_file = ${token}\n`,
    );
    expect(await search()).toBe("ROLE");
  });

  it("are not searched further after a configured location fails, which is named", async () => {
    await file("config", "[default]\ncredential_process = false\n");
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = "http://refused.example/";
    expect(await search()).toEqual(["shared files", "container endpoint"]);
  });

  it.each([
    "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\ncredential_source = Ec2InstanceMetadata\n",
    "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = b\n[profile b]\nrole_arn = arn:aws:iam::1:role/s\ncredential_source = Ec2InstanceMetadata\n",
  ])("never come from instance metadata, even if a profile says so", async (config) => {
    await file("config", config);
    expect(await search()).toEqual(["shared files"]);
    expect(requests).toEqual([]);
  });

  it("are requested once while they are valid", async () => {
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = process.env.CONTAINER_URL;
    expect([await search(), await search()]).toEqual(["CONTAINER", "CONTAINER"]);
    expect(requests).toEqual(["GET /container"]);
  });

  it("fail after the time-out", async () => {
    await file("config", "[default]\ncredential_process = sleep 20\n");
    expect(await chainCredentials(50)).toEqual({ tried: ["shared files"] });
  });
});

describe("temporary credentials of the environment (§2.4-3)", () => {
  const secrets = { seal: (text: string) => text, open: (text: string) => text };
  const opened = async (serviceVersion: string, applicationVersion = "0.10.91") =>
    openCredentials(secrets, null, await settingsWith({ serviceVersion, applicationVersion }));

  it("are refused before service 0.10.34, from whichever location they come", async () => {
    const refusal = {
      failure: "access_denied",
      unsupported: true,
      message: expect.stringContaining("needs service version 0.10.34 or later"),
    };
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = process.env.CONTAINER_URL;
    expect(await opened("0.10.33")).toMatchObject(refusal);
    expect(await opened("0.10.34", "0.10.90")).toMatchObject({ unsupported: true });
    Object.assign(process.env, { ...KEYS, AWS_SESSION_TOKEN: "token" });
    expect(await opened("0.10.33")).toMatchObject(refusal);
    expect(await opened("0.10.34")).toEqual({
      accessKeyId: "VARIABLE",
      secretAccessKey: "s",
      sessionToken: "token",
    });
  });

  it("do not depend on the version when they last", async () => {
    Object.assign(process.env, KEYS);
    expect(await opened("0.10.33")).toMatchObject({ accessKeyId: "VARIABLE", sessionToken: null });
  });

  it("report all tried locations when none exist", async () => {
    expect(await opened("0.10.34")).toEqual({
      failure: "access_denied",
      code: "NoCredentials",
      message: expect.stringMatching(/the environment has no credentials .tried: shared files\)/),
    });
  });
});
