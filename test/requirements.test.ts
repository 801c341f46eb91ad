// The manifest itself: ids are unique, and every promise is named by at least one test.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { requirements } from "./requirements.ts";
import { proves } from "./support/promise.ts";

const folder = import.meta.dirname;
const sources = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(folder, name), "utf8"));

proves("PRJ-1", "every promise is named by a test and has an id of its own", () => {
  const ids = requirements.map((requirement) => requirement.id);
  expect(ids).toEqual([...new Set(ids)]);
  const named = new Set(sources.flatMap((text) => [...text.matchAll(/proves\(\s*"([A-Z]+-[0-9]+)"/g)].map((match) => match[1])));
  expect(ids.filter((id) => !named.has(id))).toEqual([]);
});
