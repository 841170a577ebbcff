import { describe, expect, it } from "vitest";
import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import { configurationView } from "../../emulator/config/view.ts";

async function resolved(options: Record<string, unknown>, env: Record<string, string> = {}) {
  const resolution = await resolveConfiguration({ cwd: "/", env, options });
  return resolution.ok ? resolution.configuration : resolution.problems;
}

const headers = (value: string) => ({ webhooks: { headers: { Authorization: value } } });

describe("the headers of webhooks", () => {
  it("take variables with the prefix, several in one value", async () => {
    const env = { LG_WEBHOOK_USER: "ada", LG_WEBHOOK_KEY: "k3y" };
    const configuration = await resolved(
      headers("Basic ${{ env.LG_WEBHOOK_USER }}:${{env.LG_WEBHOOK_KEY}}!"),
      env,
    );
    expect(configuration).toMatchObject({
      settings: { webhooks: { headers: { Authorization: "Basic ada:k3y!" } } },
    });
  });

  it.each([
    ["${{ env.LG_WEBHOOK_KEY }}", "LG_WEBHOOK_KEY is missing"],
    ["${{ env.HOME }}", "HOME does not begin with LG_WEBHOOK_"],
    ["${{ secrets.KEY }}", "the value is not a single template"],
    ["a\nb", "characters that are not allowed in a header"],
  ])("block the start for %j: %s", async (value, said) => {
    const problems = await resolved(headers(value), { HOME: "/root" });
    expect(problems).toEqual([expect.stringContaining(said)]);
    expect(problems).toEqual([expect.stringContaining("webhooks.headers: Authorization")]);
  });

  it("take a variable that is set and empty, and an empty value", async () => {
    expect(await resolved(headers("${{ env.LG_WEBHOOK_KEY }}"), { LG_WEBHOOK_KEY: "" })).toMatchObject({
      settings: { webhooks: { headers: { Authorization: "" } } },
    });
    expect(await resolved(headers(""))).toMatchObject({
      settings: { webhooks: { headers: { Authorization: "" } } },
    });
  });

  it.each([" x", "x ", "\tx"])("do not take %j: blanks at the ends would not arrive", async (value) => {
    expect(await resolved(headers(value))).toEqual([expect.stringContaining("begins or ends with a blank")]);
  });

  it("are refused when the same setting appears in two spellings", async () => {
    const problems = await resolved({ webhooks: { headers: { "X-Key": "1", "x-key": "2" } } });
    expect(problems).toEqual([expect.stringContaining("webhooks.headers: x-key: the header is given twice")]);
  });

  it.each(["Host", "content-length", "Connection", "Keep-Alive", "TE", "Trailer", "Upgrade", "Expect"])(
    "are refused for %s, which cannot be set",
    async (name) => {
      const problems = await resolved({ webhooks: { headers: { [name]: "x" } } });
      expect(problems).toEqual([expect.stringContaining(`webhooks.headers: ${name}: HTTP sets this header`)]);
    },
  );

  it("may set Content-Type", async () => {
    const configuration = await resolved({ webhooks: { headers: { "Content-Type": "text/plain" } } });
    expect(configuration).toMatchObject({
      settings: { webhooks: { headers: { "Content-Type": "text/plain" } } },
    });
  });

  it("may have variables that begin like those of settings", async () => {
    const env = { EMULATOR_WEBHOOK_HEADER: "secret", EMULATOR_PROT: "1" };
    const options = {
      webhooks: {
        env_prefix: "EMULATOR_WEBHOOK_",
        headers: { "X-Key": "${{ env.EMULATOR_WEBHOOK_HEADER }}" },
      },
    };
    expect(await resolved(options, { EMULATOR_WEBHOOK_HEADER: "secret" })).toMatchObject({
      settings: { webhooks: { headers: { "X-Key": "secret" } } },
    });
    expect(await resolved(options, env)).toEqual([expect.stringContaining("EMULATOR_PROT")]);
  });

  it("follow webhooks.env_prefix", async () => {
    const options = { webhooks: { env_prefix: "MY_", headers: { "X-Key": "${{ env.MY_KEY }}" } } };
    expect(await resolved(options, { MY_KEY: "1" })).toMatchObject({
      settings: { webhooks: { headers: { "X-Key": "1" } } },
    });
  });

  it("are refused for headers that HTTP sets itself", async () => {
    const problems = await resolved({ webhooks: { headers: { "Content-Length": "3", "bad name": "x" } } });
    expect(problems).toEqual([
      expect.stringContaining("HTTP sets this header itself"),
      expect.stringContaining("not a valid header name"),
    ]);
  });

  it("are masked in GET /config", async () => {
    const configuration = await resolved(headers("Bearer s3cret"));
    if (Array.isArray(configuration)) throw new Error(configuration.join());
    const output = JSON.stringify(configurationView(configuration as never));
    expect(output).toContain('"Authorization":"…"');
    expect(output).not.toContain("s3cret");
  });
});

describe("the allowed domains", () => {
  it.each([
    "https://x.example/",
    "x.example:8443",
    "x.example/hook",
    "*",
    "a.*.example",
    "me@x.example",
    "a b.example",
  ])("do not take %j, which would match nothing or something else", async (name) => {
    const problems = await resolved({ webhooks: { url: { allowed_domains: ["a.example", name] } } });
    expect(problems).toEqual([expect.stringContaining(`${JSON.stringify(name)} is not a host name; write`)]);
  });

  it("take hosts, wildcards and addresses", async () => {
    const allowed_domains = [
      "a.example",
      "*.Example.com",
      "bücher.example",
      "10.0.0.1",
      "[::1]",
      "localhost",
    ];
    expect(await resolved({ webhooks: { url: { allowed_domains } } })).not.toBeInstanceOf(Array);
  });
});

describe("the block webhooks.url", () => {
  it("is configured by a variable too, whose booleans are words", async () => {
    const env = {
      EMULATOR_WEBHOOKS__URL__REQUIRE_HTTPS: "off",
      EMULATOR_WEBHOOKS__URL__DISABLE_LOOPBACK: "1",
    };
    expect(await resolved({}, env)).toMatchObject({
      settings: { webhooks: { url: { require_https: false, disable_loopback: true } } },
    });
  });

  it.each([
    ["webhooks.headers", ["X-Key"]],
    ["webhooks.headers", { "X-Key": 1 }],
    ["webhooks.headers", "X-Key: 1"],
    ["webhooks.env_prefix", 7],
    ["webhooks.url.allowed_domains", "a.example"],
    ["webhooks.url.allowed_domains", { "a.example": true }],
    ["webhooks.url.allowed_domains", [7]],
    ["webhooks.url.require_https", "on"],
    ["webhooks.url.require_https", "true"],
    ["webhooks.url.require_https", 1],
    ["webhooks.url.allowed_ports", 443],
    ["webhooks.url.allowed_ports", ["443"]],
    ["webhooks.url.allowed_ports", [443.5]],
    ["webhooks.url.disable_loopback", []],
    ["webhooks.url.max_url_length", "64"],
    ["webhooks.url.max_url_length", [64]],
    ["http.disable_webhooks", "off"],
    ["http.disable_webhooks", {}],
  ])("and its siblings accept no other type: %s %j", async (path, value) => {
    const options = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    const problems = await resolved(options as Record<string, unknown>);
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`options: ${path}: .*is not valid.*; give `)),
    ]);
  });
});

describe("an older agent server", () => {
  it.each([
    [{ webhooks: { url: {} }, agentServerVersion: "0.5.35" }, "0.5.36"],
    [{ webhooks: { url: { require_https: true } }, agentServerVersion: "0.5.35" }, "0.5.36"],
    [{ webhooks: { headers: { a: "b" } }, agentServerVersion: "0.2.78" }, "0.5.36"],
    [{ http: { disable_webhooks: true }, agentServerVersion: "0.2.77" }, "0.2.78"],
  ])("does not start with %j: it needs %s", async (options, version) => {
    expect(await resolved(options)).toEqual([expect.stringContaining(`agent-server version ${version}`)]);
  });

  it.each([
    [{ webhooks: { url: { require_https: true } }, agentServerVersion: "0.5.36" }],
    [{ http: { disable_webhooks: true }, agentServerVersion: "0.2.78" }],
    [{ agentServerVersion: "0.2.0" }],
  ])("starts with %j", async (options) => {
    expect(await resolved(options)).not.toBeInstanceOf(Array);
  });
});
