import { describe, expect, it } from "vitest";
import { WEBHOOK_URL_RULES } from "../../../contracts/spec/webhooks/settings.ts";
import { localKind } from "../../../emulator/subjects/webhooks/addresses.ts";
import { explainWebhook } from "../../../emulator/subjects/webhooks/explain.ts";
import { policyOf, TEST_RECEIVERS, webhookRefusal } from "../../../emulator/subjects/webhooks/policy.ts";
import { settingsWith } from "../../support/world.ts";

async function verdict(url: string, block?: Record<string, unknown>, assumptions = {}): Promise<string> {
  const settings = await settingsWith({ ...(block && { webhooks: { url: block } }), assumptions });
  const refusal = webhookRefusal(policyOf(settings), url);
  return refusal ? `${refusal.rule}: ${refusal.message}` : "allowed";
}

describe("a webhook URL by default", () => {
  it.each([
    "https://hooks.example.com/run",
    "http://localhost:3000/hook?token=s3cret",
    "http://127.0.0.1:9/",
    "http://[::1]:9/",
    "http://10.0.0.8/",
    "HTTPS://HOOKS.EXAMPLE.COM",
    "http://receiver:8080/hook",
    "http://host.docker.internal:8080/hook",
    "/webhooks/run-complete?token=1",
  ])("may be %s", async (url) => {
    expect(await verdict(url)).toBe("allowed");
  });

  it.each([
    "ftp://a.example/",
    "hooks.example.com/x",
    "hook",
    "//evil.example/x",
    "/\\evil.example",
    "http:/a.example",
    "http:///a.example",
    "https://a.example\\@evil.example/",
    "https://a.example/\\evil.example",
    "/hook\\evil",
    "/\t/evil.example",
    "https://a.exa\nmple/",
    "http://a.example/\n",
    "http:a.example",
    "http://",
    "http://a b/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "",
  ])("may not be %j", async (url) => {
    expect(await verdict(url)).toBe(`form: ${WEBHOOK_URL_RULES.form.refusal}`);
  });

  it.each([
    "/_emulator",
    "/_emulator/v1/reset",
    "/_emulator/v1/webhooks/inbox/mine",
    "/_emulator?x=1",
    "/_emulator/inbox",
    "/w/other/_emulator/v1/reset",
    "http://127.0.0.1:4700/_emulator/v1/reset",
    "http://localhost:4701/w/other/_emulator/v1/clock/advance",
    "http://[::1]:4700/x/../_emulator/v1/reset",
    "http://emulator:4700/_emulator/v1/reset",
    "http://2130706433:4700/_emulator",
    "https://host.docker.internal/_emulator/v1/reset?x=1",
    "http://192.168.1.7:4700/_emulator/v1/reset",
  ])("may not be %s, which drives the emulator", async (url) => {
    expect(await verdict(url)).toBe(`control: ${WEBHOOK_URL_RULES.control.refusal}`);
    const isRelative = url.startsWith("/");
    expect(await verdict(url, { disable_loopback: true })).toMatch(isRelative ? /^loopback/ : /^control/);
  });

  it.each([
    "/_emulator/inbox/mine?token=1",
    "/_emulators/x",
    "http://127.0.0.1:4700/_emulator/inbox/mine",
    "http://127.0.0.1:4700/w/other/_emulator/inbox/mine",
    "https://hooks.example.com/_emulator/v1/reset",
  ])("may be %s", async (url) => {
    expect(await verdict(url)).toBe("allowed");
  });

  it.each([
    "https://hooks.example.com:80/",
    "http://hooks.example.com:443/",
    "https://hooks.example.com:8443/",
    "http://8.8.8.8:8080/",
  ])("is called at the port of its scheme only: %s", async (url) => {
    expect(await verdict(url)).toMatch(/^port/);
  });

  it("of this machine needs test_receivers for another port, and allowed_ports wins over it", async () => {
    for (const host of [
      "localhost",
      "a.localhost",
      "127.0.0.1",
      "[::1]",
      "10.0.0.8",
      "192.168.1.7",
      "receiver",
    ]) {
      expect(await verdict(`http://${host}:3000/`, { test_receivers: false })).toMatch(
        /^port: .* only 80 is/,
      );
      expect(await verdict(`http://${host}/`, { test_receivers: false })).toBe("allowed");
      expect(await verdict(`http://${host}:3000/`, { allowed_ports: [80] })).toMatch(/^port/);
    }
  });
});

describe("a webhook URL with keys of webhooks.url other than allowed_ports", () => {
  it.each([
    {},
    { require_https: false },
    { disable_loopback: true },
    { max_url_length: 4096 },
    { allowed_domains: ["a.example"] },
  ])("is called at the port of its scheme only: %j", async (block) => {
    expect(await verdict("https://a.example/", block)).toBe("allowed");
    expect(await verdict("https://a.example:443/", block)).toBe("allowed");
    expect(await verdict("http://a.example/", block)).toBe("allowed");
    expect(await verdict("http://a.example:80/", block)).toBe("allowed");
    expect(await verdict("https://a.example:80/", block)).toBe(
      "port: Webhook port 80 not allowed for https: only 443 is, unless webhooks.url.allowed_ports names others",
    );
    expect(await verdict("http://a.example:443/", block)).toMatch(/^port: .* for http: only 80 is/);
    expect(await verdict("https://a.example:8443/", block)).toMatch(/^port/);
    expect(await verdict("http://a.example:8080/", block)).toMatch(/^port/);
  });

  it("has at most 4096 characters", async () => {
    const url = (length: number) => `https://a.example/${"x".repeat(length - 18)}`;
    expect(await verdict(url(4096), {})).toBe("allowed");
    expect(await verdict(url(4097), {})).toBe(
      "length: Webhook URL too long: 4097 characters, 4096 are allowed",
    );
  });
});

describe("the rules of §6.1", () => {
  it.each([
    [
      "/hook",
      { disable_loopback: true },
      "loopback: Loopback webhooks are disabled: relative URLs are refused",
    ],
    ["/hook", { require_https: true, allowed_domains: ["a.example"] }, "allowed"],
    ["http://a.example/", { require_https: true }, "https: Webhook must use https"],
    ["https://a.example/", { require_https: true }, "allowed"],
    [
      "https://a.example/",
      { allowed_ports: [8443] },
      "port: Webhook port 443 not allowed for https: webhooks.url.allowed_ports names 8443",
    ],
    [
      "http://a.example/",
      { allowed_ports: [443] },
      "port: Webhook port 80 not allowed for http: webhooks.url.allowed_ports names 443",
    ],
    ["https://a.example/", { allowed_ports: [443] }, "allowed"],
    ["https://a.example:443/", { allowed_ports: [443] }, "allowed"],
    ["https://a.example:8443/", { allowed_ports: [443, 8443] }, "allowed"],
    [
      "https://a.example/",
      { allowed_ports: [] },
      "port: Webhook port 443 not allowed for https: webhooks.url.allowed_ports names none",
    ],
    ["https://hooks.mycorp.com/", { allowed_domains: ["*.mycorp.com"] }, "allowed"],
    ["https://a.b.mycorp.com/", { allowed_domains: ["*.mycorp.com"] }, "allowed"],
    ["https://HOOKS.MyCorp.com./", { allowed_domains: ["*.MYCORP.com"] }, "allowed"],
    [
      "https://mycorp.com/",
      { allowed_domains: ["*.mycorp.com"] },
      "domain: Webhook domain not allowed: mycorp.com",
    ],
    [
      "https://evilmycorp.com/",
      { allowed_domains: ["*.mycorp.com"] },
      "domain: Webhook domain not allowed: evilmycorp.com",
    ],
    [
      "https://mycorp.com.evil.example/",
      { allowed_domains: ["mycorp.com"] },
      "domain: Webhook domain not allowed: mycorp.com.evil.example",
    ],
    [
      "https://mycorp.com@evil.example/",
      { allowed_domains: ["mycorp.com"] },
      "domain: Webhook domain not allowed: evil.example",
    ],
    ["https://xn--bcher-kva.example/", { allowed_domains: ["bücher.example"] }, "allowed"],
    ["https://mycorp.com/", { allowed_domains: ["mycorp.com"] }, "allowed"],
    ["https://a.example/", { allowed_domains: [] }, "domain: Webhook domain not allowed: a.example"],
    [
      "https://a.example/long",
      { max_url_length: 10 },
      "length: Webhook URL too long: 22 characters, 10 are allowed",
    ],
  ])("say of %s with %j: %s", async (url, webhooks, said) => {
    expect(await verdict(url, webhooks)).toBe(said);
  });

  it("are checked in order: length, loopback, https, port, domain, address", async () => {
    const strict = {
      require_https: true,
      allowed_ports: [443],
      allowed_domains: ["10.0.0.8"],
      disable_loopback: true,
    };
    expect(await verdict("http://10.0.0.9:1/", { ...strict, max_url_length: 5 })).toMatch(/^length/);
    expect(await verdict("/x", strict)).toMatch(/^loopback/);
    expect(await verdict("http://10.0.0.9:1/", strict)).toMatch(/^https/);
    expect(await verdict("https://10.0.0.9:1/", strict)).toMatch(/^port/);
    expect(await verdict("https://10.0.0.9/", strict)).toMatch(/^domain/);
    expect(await verdict("https://10.0.0.8/", strict)).toBe("allowed");
    const { allowed_domains: _, ...anywhere } = strict;
    const refuse = { "agent.webhook_local_addresses": "refuse" };
    expect(await verdict("https://10.0.0.8:1/", anywhere, refuse)).toMatch(/^port/);
    expect(await verdict("https://10.0.0.8/", anywhere, refuse)).toMatch(/^address/);
  });
});

describe("local addresses", () => {
  const refuse = { "agent.webhook_local_addresses": "refuse" };

  it.each([
    ["http://127.0.0.1/", "127.0.0.1", "loopback"],
    ["http://2130706433/", "127.0.0.1", "loopback"],
    ["http://0x7f000001/", "127.0.0.1", "loopback"],
    ["http://0177.0.0.1/", "127.0.0.1", "loopback"],
    ["http://127.1/", "127.0.0.1", "loopback"],
    ["http://[::1]/", "[::1]", "loopback"],
    ["http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]", "loopback"],
    ["http://[::ffff:a9fe:a9fe]/", "[::ffff:a9fe:a9fe]", "link-local"],
    ["http://[64:ff9b::7f00:1]/", "[64:ff9b::7f00:1]", "loopback"],
    ["http://[2002:7f00:1::]/", "[2002:7f00:1::]", "loopback"],
    ["http://[::127.0.0.1]/", "[::7f00:1]", "loopback"],
    ["http://[fe80::1]/", "[fe80::1]", "link-local"],
    ["http://[fd00::1]/", "[fd00::1]", "private"],
    ["http://[2001:20::1]/", "[2001:20::1]", "reserved"],
    ["http://[3fff::1]/", "[3fff::1]", "reserved"],
    ["http://[ff02::1]/", "[ff02::1]", "multicast"],
    ["http://[::]/", "[::]", "unspecified"],
    ["http://0.0.0.0/", "0.0.0.0", "unspecified"],
    ["http://10.1.2.3/", "10.1.2.3", "private"],
    ["http://172.31.255.255/", "172.31.255.255", "private"],
    ["http://192.168.1.1/", "192.168.1.1", "private"],
    ["http://100.64.0.1/", "100.64.0.1", "private"],
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254", "link-local"],
    ["http://224.0.0.1/", "224.0.0.1", "multicast"],
    ["http://255.255.255.255/", "255.255.255.255", "reserved"],
    ["http://localhost/", "localhost", "loopback"],
    ["http://api.localhost./", "api.localhost", "loopback"],
  ])("%s is refused with agent.webhook_local_addresses refuse", async (url, host, kind) => {
    const said = await verdict(url, undefined, refuse);
    expect(said).toMatch(/^address: Webhook host blocked/);
    expect(said).toContain(host);
    expect(said).toContain(`which is ${kind}`);
  });

  it.each([
    "http://8.8.8.8/",
    "http://172.32.0.1/",
    "http://11.0.0.1/",
    "http://[2606:4700::1111]/",
    "http://[2001:4860:4860::8888]/",
    "https://a.example/",
  ])("%s is not local", async (url) => {
    expect(await verdict(url, undefined, refuse)).toBe("allowed");
  });

  it.each([
    "http://localhost/",
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://192.168.1.1/",
    "http://a.localhost/",
  ])("%s is allowed in any case when it is on allowed_domains", async (url) => {
    const allowed_domains = ["localhost", "*.localhost", "127.0.0.1", "[::1]", "192.168.1.1"];
    expect(await verdict(url, { allowed_domains }, refuse)).toBe("allowed");
    expect(await verdict(url, { allowed_domains })).toBe("allowed");
    expect(await verdict("http://192.168.1.2/", { allowed_domains })).toMatch(/^domain/);
  });

  it("are recognised in malformed and mapped forms", () => {
    expect(localKind("fe80::1%eth0")).toBe("link-local");
    expect(localKind("::ffff:10.0.0.1")).toBe("private");
    expect(localKind("1::2::3")).toBe("malformed");
    expect(localKind("::ffff:999.0.0.1")).toBe("malformed");
    expect(localKind("12345::")).toBe("malformed");
    expect(localKind("a.example")).toBeUndefined();
  });
});

describe("the explanation", () => {
  it("names the rule that decides, and masks the token", async () => {
    const settings = await settingsWith({
      webhooks: { url: { require_https: true, allowed_domains: ["a.example"] } },
    });
    const described = explainWebhook(settings, "http://user:pw@a.example:8080/h?token=s3cret&x");
    expect(described).toMatchObject({
      allowed: false,
      delivered: false,
      rule: "https",
      message: "Webhook must use https",
    });
    expect(JSON.stringify(described)).not.toMatch(/s3cret|pw/);
    expect(described.rules.map(({ rule, verdict: said }) => `${rule} ${said}`)).toEqual([
      "length passed",
      "form passed",
      "loopback off",
      "control off",
      "https refused",
      "port not_reached",
      "domain not_reached",
      "address not_reached",
    ]);
  });

  it("reports decisions that depend on the resolved address", async () => {
    const settings = await settingsWith({ assumptions: { "agent.webhook_local_addresses": "refuse" } });
    const described = explainWebhook(settings, "https://a.example/h");
    expect(described).toMatchObject({
      allowed: true,
      delivered: null,
      message: "Refused when it is sent if the host is a local address.",
      rule: null,
      target: { kind: "remote", host: "a.example", port: 443 },
    });
    expect(described.rules.at(-1)).toMatchObject({ rule: "address", verdict: "when_sent" });
  });

  it("never reports a post as delivered that a rule refuses", async () => {
    const refuse = { "agent.webhook_local_addresses": "refuse" };
    const settings = await settingsWith({ assumptions: refuse });
    for (const url of ["http://localhost/", "http://127.0.0.1/", "http://a.example/", "http://x.localhost/"])
      expect(explainWebhook(settings, url).delivered).not.toBe(true);
    expect(explainWebhook(settings, "http://93.184.216.34/").delivered).toBe(true);
  });

  it("names the setting without which the URL would be refused", async () => {
    const settings = await settingsWith({});
    expect(explainWebhook(settings, "http://localhost:3000/h")).toMatchObject({
      allowed: true,
      delivered: true,
      passed_by: TEST_RECEIVERS,
    });
    for (const url of ["http://localhost/h", "https://a.example/h", "https://a.example:8443/h", "/h"])
      expect(explainWebhook(settings, url).passed_by).toBeNull();
    const strict = await settingsWith({ webhooks: { url: { test_receivers: false } } });
    expect(explainWebhook(strict, "http://localhost:3000/h")).toMatchObject({
      rule: "port",
      passed_by: null,
    });
  });

  it("reports when webhooks are disabled", async () => {
    const described = explainWebhook(await settingsWith({ http: { disable_webhooks: true } }), "/hook");
    expect(described).toMatchObject({
      allowed: true,
      delivered: false,
      message: "No rule refuses it, but webhooks are switched off.",
    });
  });
});
