// `npm run bench -- [name…]`: measures against peers, prints a table and writes a report; `--help` says more.
import { accessSync, constants, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chosen, NAMES } from "./figures/index.mjs";
import { changes, readReport } from "./harness/compare.mjs";
import { headOf, newReport, rowsOf, TABLE_HEAD } from "./harness/report.mjs";
import { measure } from "./harness/rounds.mjs";
import { machineSpeed } from "./harness/speed.mjs";

const HELP = `npm run bench -- [name…]   names: ${NAMES.join(", ")}; growth means all growth-…
  --quick            all but the time of npm test, with few rounds and less that grows: about half an hour
  --rounds <n>       rounds of each figure, instead of its own number (5 or more if it has peers)
  --rows <n>         rows, or items of a growth bench, instead of its own number
  --output <file>    where the report goes (default: a file in bench/results), or none
  --compare <file>   says what became better or worse since that report, beyond the spread
  --with <file>      with --compare: measures nothing, and compares these two reports`;

const OPTIONS = {
  quick: { type: "boolean" },
  rounds: { type: "string" },
  rows: { type: "string" },
  output: { type: "string" },
  compare: { type: "string" },
  with: { type: "string" },
  help: { type: "boolean" },
};

// Node 20 reads these at each start: every side would take longer by the same, and a start would seem nearer to a bare one.
delete process.env.NODE_EXTRA_CA_CERTS;

const order = readOrder();
if (order !== undefined) process.exitCode = await run(order);

/** What is asked for; bad input ends with one line and 2. */
function readOrder() {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    if (values.help) return void console.log(HELP);
    if (values.with !== undefined && values.compare === undefined) throw new Error("--with needs --compare");
    const report = newReport();
    return {
      report,
      isQuick: values.quick === true,
      names: chosen(positionals).filter(
        (name) => !values.quick || positionals.length > 0 || name !== "tests",
      ),
      rounds: countOf(values, "rounds"),
      rows: countOf(values, "rows"),
      before: values.compare === undefined ? undefined : readReport(values.compare),
      after: values.with === undefined ? undefined : readReport(values.with),
      output: values.with === undefined ? outputOf(values.output, report) : undefined,
    };
  } catch (error) {
    console.error(`bench: ${error.message.split("\n")[0]}`);
    process.exitCode = 2;
  }
}

function countOf(values, name) {
  const value = values[name];
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`--${name} ${value}: give a whole number from 1`);
  return Number(value);
}

/** Looked at before anything is measured. */
function outputOf(output, { date, node }) {
  if (output === "none") return undefined;
  if (output === undefined) {
    const folder = fileURLToPath(new URL("results", import.meta.url));
    mkdirSync(folder, { recursive: true });
    return join(folder, `${date.slice(0, 19).replaceAll(":", "-")}-node-${node.slice(1).split(".")[0]}.json`);
  }
  const file = resolve(output);
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch {
    throw new Error(`--output ${output}: its folder is missing or cannot be written to`);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`--output ${output} is a folder`);
  return file;
}

/** No number makes this fail; only what could not be measured. */
async function run({ report, names, isQuick, rounds, rows, before, after, output }) {
  if (after === undefined) await measureInto(report, names, { isQuick, rounds, rows }, output);
  if (before !== undefined) for (const line of changes(before, after ?? report)) console.log(line);
  return report.figures.some(({ failed }) => failed !== undefined) ? 1 : 0;
}

/** The file is written after each figure: what was measured is kept when a later one is given up. */
async function measureInto(report, names, options, output) {
  report.speed = await machineSpeed();
  console.log(`${headOf(report)}\n\n${TABLE_HEAD}`);
  for await (const figure of measuredFigures(names, options)) {
    report.figures.push(figure);
    for (const row of rowsOf(figure)) console.log(row);
    if (output !== undefined) writeFileSync(output, `${JSON.stringify(report, null, 1)}\n`);
  }
  if (output !== undefined) console.log(`\n${output}`);
}

function reasonOf({ message, cause }) {
  return `${message}${cause ? `: ${cause.message}` : ""}`.split("\n")[0];
}

async function* measuredFigures(names, options) {
  for (const name of names) {
    const { figures } = await import(`./figures/${name}.mjs`);
    for (const figure of figures) {
      try {
        yield await measure(figure, options);
      } catch (error) {
        yield { figure: figure.figure, failed: reasonOf(error) };
      }
    }
  }
}
