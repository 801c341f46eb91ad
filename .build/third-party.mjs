// The licences of what is bundled: the bundler's own account says which files of which packages are in dist/, and each package's
// licence text (and NOTICE) is put below its name. The bundler keeps only the comments it finds inside the code, which most packages do
// not have. Refuses a package that states no licence: then nobody may pass it on.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const TITLE =
  "The programs of Toolpool contain code of the packages below. Each is the property of its authors and comes under its own licence.\n";
const RULE = "-".repeat(78);

/** The text of the file; packages in the order of their names. */
export function thirdPartyLicences(root, { outputs }) {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = new Set(files.flatMap((path) => packageFolder(path) ?? []));
  const notices = new Map([...folders].map((folder) => noticeOf(root, folder)));
  return [TITLE, ...[...notices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)].join(`\n${RULE}\n\n`);
}

/** Of `node_modules/a/node_modules/@b/c/lib/x.js`: `node_modules/a/node_modules/@b/c`. Undefined for our own files. */
function packageFolder(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

/** `[name@version, text]` */
function noticeOf(root, folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const id = `${name}@${version}`;
  if (typeof license !== "string") throw new Error(`${id} is bundled and states no licence`);
  const texts = readdirSync(join(root, folder))
    .filter((file) => /^(licen[cs]e|copying|notice)([.-](md|txt|mit|apache|apache-2\.0|mit\.txt))?$/i.test(file))
    .sort()
    .map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  const by = (typeof author === "string" ? author : author?.name) ?? `the authors of ${name}`;
  const body = texts.length > 0 ? texts.join("\n\n") : `Copyright (c) ${by}\n\n${standardText(root, license)}`;
  return [id, `${id} (${license})\n\n${body.replaceAll("\r", "")}\n`];
}

/** Some packages state their licence and leave its text out. That of MIT is our own. */
function standardText(root, license) {
  if (license !== "MIT") return `The package brings no text of its licence; it is at https://spdx.org/licenses/${license}.html`;
  const own = readFileSync(join(root, "LICENSE"), "utf8");
  return own.slice(own.indexOf("Permission is hereby granted")).trim();
}
