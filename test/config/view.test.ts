import { expect, it } from "vitest";
import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import { configurationView } from "../../emulator/config/view.ts";

it("the shown configuration has no secret of its seed data and keys", async () => {
  const destination = {
    destination_type: "s3",
    display_name: "d",
    config: { bucket_name: "b", prefix: "p", endpoint_url: "http://user-hidden:hidden@h.example:9000" },
    credentials: { access_key_id: "a", secret_access_key: "secret-hidden" },
  };
  const options = {
    auth: { mode: "keys", keys: [{ key: "key-hidden", tenants: ["00000000-0000-4000-8000-000000000001"] }] },
    seed_data: { destinations: [destination], keys: [{ access_key_id: "a", secret_access_key: "hidden" }] },
  };
  const resolution = await resolveConfiguration({ cwd: "/", options });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  const output = JSON.stringify(configurationView(resolution.configuration));
  expect(output).toContain("http://…@h.example:9000");
  expect(output).not.toContain("hidden");
});
