// The licences of the packages whose code is bundled.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;

/** One chapter per package of which a file went into the bundle, with the text of its licence. */
export async function thirdPartyNotices(root, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const chapters = await Promise.all([...folders].sort().map((folder) => chapter(join(root, folder))));
  return ["Parts of these packages are contained in the files of this folder.", ...chapters].join("\n\n");
}

function packageFolder(input) {
  return /^([^:]*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

async function chapter(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const heading = `${name} ${version} (${typeof license === "string" ? license : (license?.type ?? "see below")})`;
  return [heading, "-".repeat(heading.length), ...texts.map((text) => text.trim())].join("\n");
}
