import { partLabel, type ReportModel, type ReportRow, type RowFinding, rowsOf } from "./model.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

/** The package has no home page. The address only identifies the rule, and `help` has its text. */
const HELP = "https://trace-platform-emulator.invalid/requirements";

const LEVELS: readonly RowFinding["level"][] = ["error", "warning", "note"];

/** A SARIF 2.1.0 log. Findings of a row with equal fingerprints are one result. */
export function sarifReport(model: ReportModel): string {
  const results = rowsOf(model).flatMap((row) => {
    const fingerprints = row.findings.map(({ fingerprint }) => fingerprint);
    const distinct = row.findings.filter(({ fingerprint }, at) => fingerprints.indexOf(fingerprint) === at);
    return distinct.map((finding) => resultOf(row, finding, model.source));
  });
  results.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  const ids = [...new Set(results.map(({ ruleId }) => ruleId))];
  const rules = ids.map((id) => {
    const text = model.rules[id] ?? id;
    return { id, shortDescription: { text }, helpUri: `${HELP}#${encodeURIComponent(id)}`, help: { text } };
  });
  const label = partLabel(model);
  const automationDetails = label && { automationDetails: { id: `${model.tool}/${label}/` } };
  const run = {
    ...automationDetails,
    tool: { driver: { name: model.tool, rules } },
    columnKind: "utf16CodeUnits",
    results,
  };
  return JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2);
}

function resultOf(
  { id, file: ownFile }: ReportRow,
  { rule, level, text, fingerprint, state }: RowFinding,
  source: ReportRow["file"],
) {
  const file = ownFile ?? source;
  const physicalLocation = file && {
    artifactLocation: { uri: encodeURI(file.path.replaceAll("\\", "/")) },
    region: { startLine: file.line ?? 1 },
  };
  return {
    ruleId: rule,
    level,
    message: { text },
    ...(state && { baselineState: state }),
    partialFingerprints: { "finding/v1": fingerprint },
    locations: [
      {
        ...(physicalLocation && { physicalLocation }),
        logicalLocations: [{ fullyQualifiedName: id }],
      },
    ],
  };
}
