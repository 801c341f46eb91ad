// Every kind of finding: provoked by a test, shown absent by one, and explained in docs/doctor.md.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { FINDING_GROUPS } from "../../client/doctor/finding.ts";
import { proves } from "../support/promise.ts";

const folder = import.meta.dirname;
const sources = readdirSync(folder)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(folder, name), "utf8"))
  .join("\n");

proves("DOC-16", "each id is in a `has`, in a `lacks`, and in the page", () => {
  const ids = Object.keys(FINDING_GROUPS);
  expect(ids.filter((id) => !new RegExp(`\\bhas\\((?:[^;"]|"(?!${id}"))*?"${id}"`).test(sources))).toEqual([]);
  // A loop over ids names them in the list before it.
  const listed = [
    ...sources.matchAll(/for \(const id of \[([^\]]*)\] as const\)\s*\{?\s*lacks\(/g),
    ...sources.matchAll(/lacks\([^;]*?"(\w+)"/g),
  ];
  const absent = listed.map(([, text = ""]) => text).join(" ");
  expect(ids.filter((id) => !new RegExp(`\\b${id}\\b`).test(absent))).toEqual([]);
  const page = readFileSync(join(folder, "../../docs/doctor.md"), "utf8");
  expect(ids.filter((id) => !page.includes(`\`${id}\``))).toEqual([]);
});
