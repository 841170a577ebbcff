import type { WorkspaceView } from "../../control/workspaces.ts";
import { control } from "../model/actions.ts";
import { apiHeaders } from "../model/api-key.ts";
import { Action } from "../parts/action.tsx";

/** The workspace of clients that do not name one. */
const DEFAULT_TENANT = "00000000-0000-4000-8000-000000000001";

const SAMPLES = { count: 200, project: "shop" };

const DESTINATION = {
  destination_type: "s3",
  display_name: "Bucket of the emulator",
  config: { bucket_name: "traces", prefix: "exports", region: "us-east-1" },
  credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
};

/** Buttons that create what an export needs: a project with rows, and a destination. */
export function FirstSteps({ workspaces }: { readonly workspaces: readonly WorkspaceView[] }) {
  const hasProject = workspaces.some(({ projects }) => projects.length > 0);
  const tenant = workspaces[0]?.tenant_id ?? DEFAULT_TENANT;
  return (
    <ol class="steps card">
      <li>
        <p>
          <strong>Rows to export.</strong> A project with 200 sample traces of the last day.
        </p>
        {hasProject ? (
          <p class="status good">
            <span aria-hidden="true">●</span> There is a project.
          </p>
        ) : (
          <Action
            label="Generate sample traces"
            kind="main"
            call={control("POST", "/traces/generate", SAMPLES)}
          />
        )}
      </li>
      <li>
        <p>
          <strong>A destination for the files.</strong> It is in the bucket <code>traces</code> of the
          emulator.
        </p>
        <Action
          label="Create a destination"
          kind={hasProject ? "main" : "plain"}
          call={{
            method: "POST",
            path: "/api/v1/bulk-exports/destinations",
            headers: apiHeaders(tenant),
            body: DESTINATION,
          }}
        />
      </li>
    </ol>
  );
}
