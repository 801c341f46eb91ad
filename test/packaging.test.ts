// What is shipped beside the sources: the container file is well formed and keeps its promises, the lock file and the licence fit.
// No container engine is needed: the file is read as its own syntax tree.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { expect } from "vitest";
import { proves } from "./support/promise.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const dockerfile = read("Dockerfile");
const instructions = DockerfileParser.parse(dockerfile).getInstructions();
const keyword = (instruction: Instruction): string => instruction.getKeyword().toUpperCase();
const last = (name: string): string => instructions.findLast((one) => keyword(one) === name)?.getArgumentsContent() ?? "";

proves("PRJ-5", "the Dockerfile passes its linter and has two stages", () => {
  expect(validate(dockerfile)).toEqual([]);
  expect(instructions.filter((one) => keyword(one) === "FROM")).toHaveLength(2);
});

proves("PRJ-5", "the last stage runs as an ordinary user, below an init, with a health check on /livez and no open port", () => {
  const final = instructions.slice(instructions.findLastIndex((one) => keyword(one) === "FROM"));
  const position = (name: string): number => final.findIndex((one) => keyword(one) === name);
  expect(last("USER")).toBe("node");
  expect(position("USER")).toBeLessThan(position("CMD"));
  expect(last("ENTRYPOINT")).toBe('["tini", "--"]');
  expect(last("HEALTHCHECK")).toContain("/livez");
  expect(last("CMD")).toBe('["toolpool", "up", "--foreground"]');
  expect(instructions.filter((one) => keyword(one) === "EXPOSE")).toEqual([]);
});

proves("PRJ-5", "the context of the image holds the sources and nothing of this machine", () => {
  const lines = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines[0]).toBe("*");
  expect(lines.slice(1).filter((line) => !line.startsWith("!"))).toEqual([]);
  expect(lines).not.toContain("!node_modules");
});

proves("PRJ-6", "the lock file names no registry and fits the manifest", () => {
  const manifest = JSON.parse(read("package.json")) as Record<"dependencies" | "devDependencies", Record<string, string>> & {
    version: string;
  };
  const lock = JSON.parse(read("package-lock.json")) as {
    version: string;
    packages: Record<string, Record<"dependencies" | "devDependencies", Record<string, string>> & { resolved?: string }>;
  };
  expect(lock.version).toBe(manifest.version);
  const { dependencies, devDependencies } = manifest;
  expect(lock.packages[""]).toMatchObject({ dependencies, devDependencies });
  expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([]);
  expect(Object.values({ ...dependencies, ...devDependencies }).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual(
    [],
  );
});
