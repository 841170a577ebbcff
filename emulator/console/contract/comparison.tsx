import type { Comparison, Drift } from "../../../contracts/engine/compare.ts";
import { Empty } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";

/** Two servers that received the same requests: first the cases that were not compared, then the differences. */
export function ComparisonReport({ comparison }: { readonly comparison: Comparison }) {
  const { targets, compared, differing, skipped, drifts } = comparison;
  const columns: readonly Column<Drift>[] = [
    { name: "§", show: ({ requirement, section }) => requirement ?? section },
    { name: "The specification", show: ({ statement }) => <span class="key">{statement}</span> },
    { name: "Request", show: ({ text }) => <span class="key">{text}</span> },
    { name: targets[0], show: ({ first }) => <code>{first ?? "as expected"}</code> },
    { name: targets[1], show: ({ second }) => <code>{second ?? "as expected"}</code> },
    { name: "Verdict", show: ({ verdict, blame }) => `${verdict} (${blame})` },
  ];
  return (
    <>
      {skipped.length > 0 && (
        <section class="why wait" aria-label="What was not compared">
          <strong>
            <span aria-hidden="true">◇</span> What was not compared
          </strong>
          <ul>
            {skipped.map(({ reason, cases }) => (
              <li key={reason}>
                {cases.length} cases: {reason}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class={`status ${differing === 0 && compared > 0 ? "good" : "bad"}`}>
        {differing} of {compared} cases differ
      </p>
      {drifts.length === 0 ? (
        <Empty>No difference was found.</Empty>
      ) : (
        <Table
          label="Differences"
          columns={columns}
          rows={drifts}
          keyOf={({ id, text, side }) => `${id} ${text} ${side}`}
        />
      )}
    </>
  );
}
