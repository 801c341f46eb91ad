// Edits of a configuration's text: what they change, and above all what they leave alone.
import fc from "fast-check";
import { createScanner, findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import { expect } from "vitest";
import { parseDocument } from "../../config/document.ts";
import { commentAbove } from "../../config/edit-comment.ts";
import { removeAt, setAt } from "../../config/edit.ts";
import { proves } from "../support/promise.ts";
import { jsonOf, jsonTexts, pathsIn, treeOfValue, treeWith, values, type Tree } from "./json-texts.ts";

const RUNS = { numRuns: 1_500 };

function treeOf(text: string): Tree {
  const document = parseDocument(text);
  if (document.kind === "refused") throw new Error(`${document.issues[0]?.message ?? ""}\n${text}`);
  return treeOfValue(document.root);
}

/** The words of a text in order: comments as they stand, commas and white space left out. */
function words(text: string): readonly string[] {
  const scanner = createScanner(text, false);
  const found: string[] = [];
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const word = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
    if (word.trim() !== "" && word !== ",") found.push(word);
  }
  return found;
}

function nodeAt(text: string, path: readonly string[]): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, [...path]);
  if (node === undefined) throw new Error(`nothing at ${path.join("/")} in\n${text}`);
  return node;
}

proves("EDT-1", "a member that is there is replaced in its place, and every other byte is the same", () => {
  fc.assert(
    fc.property(jsonTexts, values, fc.nat(), ({ text, tree }, value, pick) => {
      const paths = pathsIn(tree);
      const path = paths[pick % Math.max(1, paths.length)];
      if (path === undefined) return;
      const { offset, length } = nodeAt(text, path);
      const edited = setAt(text, path, jsonOf(value));
      expect(treeOf(edited)).toEqual(treeWith(tree, path, value));
      expect(edited.startsWith(text.slice(0, offset))).toBe(true);
      expect(edited.endsWith(text.slice(offset + length))).toBe(true);
      expect(edited.length - text.length).toBe(nodeAt(edited, path).length - length);
    }),
    RUNS,
  );
});

proves("EDT-1", "a new member stands behind the last one; whatever was there stays as it was", () => {
  fc.assert(
    fc.property(jsonTexts, values, fc.nat(), fc.boolean(), ({ text, tree }, value, pick, deep) => {
      const objects = [[], ...pathsIn(tree).filter((path) => nodeAt(text, path).type === "object")];
      const parent = objects[pick % objects.length] ?? [];
      const [first = "new member", ...rest] = [...parent, "new member", ...(deep ? ["deeper"] : [])];
      const path = [first, ...rest] as const;
      const { offset, length } = parent.length === 0 ? nodeAt(text, []) : nodeAt(text, parent);
      const edited = setAt(text, path, jsonOf(value));
      expect(treeOf(edited)).toEqual(treeWith(tree, path, value));
      // The object's begin, and everything behind its end.
      expect(edited.startsWith(text.slice(0, offset + 1))).toBe(true);
      expect(edited.endsWith(text.slice(offset + length - 1))).toBe(true);
      const member = nodeAt(edited, [...parent, "new member"]).parent;
      if (member === undefined) throw new Error("no member");
      const without = edited.slice(0, member.offset) + edited.slice(member.offset + member.length);
      expect(words(without)).toEqual(words(text));
    }),
    RUNS,
  );
});

proves("EDT-2", "a removed member is gone, and every comment and every other member is where it was", () => {
  fc.assert(
    fc.property(jsonTexts, fc.nat(), ({ text, tree }, pick) => {
      const paths = pathsIn(tree);
      const path = paths[pick % Math.max(1, paths.length)];
      if (path === undefined) return;
      const property = nodeAt(text, path).parent;
      if (property === undefined) throw new Error("no member");
      const edited = removeAt(text, path);
      expect(treeOf(edited)).toEqual(treeWith(tree, path, undefined));
      const without = text.slice(0, property.offset) + text.slice(property.offset + property.length);
      expect(words(edited)).toEqual(words(without));
    }),
    RUNS,
  );
  expect(removeAt('{"a": 1}', ["b"])).toBe('{"a": 1}');
});

proves("EDT-2", "what was added and is removed again leaves the text as it was", () => {
  const texts = ['{\n  // head\n  "a": 1, // one\n  "b": { "c": [] }\n}\n', '{\r\n\t"a": {}\r\n}\r\n', '{"a": 1, "b": 2}'];
  for (const text of texts) expect(removeAt(setAt(text, ["z"], { x: 1 }), ["z"])).toBe(text);
  const trailing = '{\n  "a": 1,\n  // last\n}\n';
  expect(removeAt(setAt(trailing, ["z"], true), ["z"])).toBe(trailing);
});

proves("EDT-3", "new things are laid out as the file is", () => {
  const entry = { command: "npx", args: ["-y", "x"], env: { A: "1", B: "2" } };
  expect(setAt("{}", ["mcpServers", "a"], entry)).toBe(
    `{\n  "mcpServers": {\n    "a": {\n      "command": "npx",\n      "args": ["-y", "x"],\n      "env": {\n        "A": "1",\n        "B": "2"\n      }\n    }\n  }\n}`,
  );
  const tabs = '{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"command": "x"\r\n\t\t}\r\n\t}\r\n}\r\n';
  const added = setAt(tabs, ["mcpServers", "b"], { command: "y", cwd: "." });
  expect(added).toContain('\t\t},\r\n\t\t"b": {\r\n\t\t\t"command": "y",\r\n\t\t\t"cwd": "."\r\n\t\t}\r\n\t}\r\n}\r\n');
  expect(added).not.toMatch(/[^\r]\n/);
  expect(setAt('{"a": {"b": 1}}', ["a", "c"], 2)).toBe('{"a": {"b": 1, "c": 2}}');
  // Behind the comments that belong to the last member, and with the comma the file keeps.
  expect(setAt('{\n  "a": 1 // one\n}', ["b"], 2)).toBe('{\n  "a": 1, // one\n  "b": 2\n}');
  expect(setAt('{\n  "a": 1,\n}', ["b"], 2)).toBe('{\n  "a": 1,\n  "b": 2,\n}');
  expect(() => setAt('{"a": 1}', ["a", "b"], 2)).toThrow(/no object/);
});

proves("EDT-4", "a comment stands above its member; on a shared line it cannot swallow anything", () => {
  fc.assert(
    fc.property(jsonTexts, fc.string(), fc.nat(), ({ text, tree }, said, pick) => {
      const paths = pathsIn(tree);
      const path = paths[pick % Math.max(1, paths.length)];
      if (path === undefined) return;
      const edited = commentAbove(text, path, `from */ ${said}`);
      expect(treeOf(edited)).toEqual(tree);
      expect(words(edited).length).toBe(words(text).length + 1);
    }),
    RUNS,
  );
  expect(commentAbove('{\r\n\t"a": 1\r\n}', ["a"], "from\nhere")).toBe('{\r\n\t// from here\r\n\t"a": 1\r\n}');
  expect(commentAbove('{"a": 1}', ["a"], "here")).toBe('{/* here */ "a": 1}');
  expect(commentAbove('{"a": 1}', ["b"], "here")).toBe('{"a": 1}');
});
