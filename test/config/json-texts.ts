// JSON texts as people write them, for property tests: comments before, behind and inside, trailing commas, one line or many, any
// indentation and line ends. Keys are unique in their object.
import fc from "fast-check";
import type { Value } from "../../config/document.ts";

/** A tree with its order; keys are data. */
export type Tree =
  string | number | boolean | null | readonly Tree[] | { readonly members: readonly (readonly [string, Tree])[] };

interface Leaf {
  readonly kind: "leaf";
  readonly value: string | number | boolean | null | readonly (string | number)[];
}
interface Written {
  readonly kind: "object";
  readonly members: readonly { readonly key: string; readonly value: Shape; readonly before: string; readonly behind: string }[];
  readonly inLine: boolean;
  readonly comma: boolean;
  readonly last: string;
}
type Shape = Leaf | Written;

export interface JsonText {
  readonly text: string;
  readonly tree: Tree;
}

const comment = fc.oneof({ weight: 3, arbitrary: fc.constant("") }, fc.stringMatching(/^[a-z ,{}":]{1,12}$/));
const key = fc.oneof(fc.stringMatching(/^[a-z_]{1,6}$/), fc.constantFrom("__proto__", "a/b", "ü~", 'q"q', ""));
const leaf: fc.Arbitrary<Leaf> = fc.record({
  kind: fc.constant("leaf" as const),
  value: fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.oneof(fc.string({ maxLength: 5 }), fc.integer()), { maxLength: 3 }),
  ),
});

const { object } = fc.letrec<{ object: Written; shape: Shape }>((tie) => ({
  shape: fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaf, tie("object")),
  object: fc.record({
    kind: fc.constant("object" as const),
    members: fc.uniqueArray(fc.record({ key, value: tie("shape"), before: comment, behind: comment }), {
      maxLength: 4,
      selector: (member) => member.key,
    }),
    inLine: fc.boolean(),
    comma: fc.boolean(),
    last: comment,
  }),
}));

const style = fc.record({ unit: fc.constantFrom("  ", "    ", "\t"), eol: fc.constantFrom("\n", "\r\n", "\r") });

export const jsonTexts: fc.Arbitrary<JsonText> = fc
  .record({ object, style, end: fc.boolean() })
  .map(({ object: root, style: { unit, eol }, end }) => ({
    text: write(root, { unit, eol, indent: "", inLine: false }) + (end ? eol : ""),
    tree: treeOfShape(root),
  }));

export const values: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 2 },
    fc.string({ maxLength: 60 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(key, tie("tree")), { maxLength: 3, selector: ([name]) => name })
      // Object literals cannot hold this one in order.
      .map((members) => ({ members: members.filter(([name]) => name !== "__proto__") })),
  ),
})).tree;

interface Style {
  readonly unit: string;
  readonly eol: string;
  readonly indent: string;
  readonly inLine: boolean;
}

function write(shape: Shape, outer: Style): string {
  if (shape.kind === "leaf") return JSON.stringify(shape.value);
  const inLine = outer.inLine || shape.inLine;
  const inner = { ...outer, inLine, indent: outer.indent + outer.unit };
  const lead = inLine ? " " : outer.eol + inner.indent;
  const block = (content: string): string => (content === "" ? "" : `/*${content}*/ `);
  const line = (content: string): string => (content === "" ? "" : inLine ? ` /*${content}*/` : ` //${content}`);
  const parts = shape.members.map(({ key: name, value, before, behind }, at) => {
    const comma = at < shape.members.length - 1 || shape.comma ? "," : "";
    return `${lead}${block(before)}${JSON.stringify(name)}: ${write(value, inner)}${comma}${line(behind)}`;
  });
  const last = shape.last === "" ? "" : inLine ? ` /*${shape.last}*/` : `${lead}//${shape.last}`;
  if (parts.length === 0 && last === "") return "{}";
  return `{${parts.join("")}${last}${inLine ? " " : outer.eol + outer.indent}}`;
}

const treeOfShape = (shape: Shape): Tree =>
  shape.kind === "leaf"
    ? shape.value
    : { members: shape.members.map(({ key: name, value }) => [name, treeOfShape(value)] as const) };

export function treeOfValue(value: Value): Tree {
  switch (value.kind) {
    case "object":
      return { members: value.members.map(({ key: name, value: held }) => [name, treeOfValue(held)] as const) };
    case "array":
      return value.items.map(treeOfValue);
    case "null":
      return null;
    default:
      return value.value;
  }
}

const isObject = (tree: Tree | undefined): tree is Extract<Tree, { members: unknown }> =>
  typeof tree === "object" && tree !== null && "members" in tree;

/** Every path that leads to a member. */
export function pathsIn(tree: Tree): readonly (readonly [string, ...string[]])[] {
  if (!isObject(tree)) return [];
  return tree.members.flatMap(([name, held]) => [[name] as const, ...pathsIn(held).map((path) => [name, ...path] as const)]);
}

/** The same tree with a member set, at the end of its object where it is new. */
export function treeWith(tree: Tree, [name, ...rest]: readonly [string, ...string[]], value: Tree | undefined): Tree {
  const members = isObject(tree) ? tree.members : [];
  const [next, ...more] = rest;
  const held = members.find(([each]) => each === name)?.[1];
  const changed = next === undefined ? value : treeWith(held ?? { members: [] }, [next, ...more], value);
  if (changed === undefined) return { members: members.filter(([each]) => each !== name) };
  return {
    members:
      held === undefined ? [...members, [name, changed]] : members.map((each) => (each[0] === name ? [name, changed] : each)),
  };
}

export function jsonOf(tree: Tree): never {
  // What `setAt` takes is plain JSON; the order of its members is that of the object's.
  return plain(tree) as never;
}

function plain(tree: Tree): unknown {
  if (Array.isArray(tree)) return tree.map(plain);
  return isObject(tree) ? Object.fromEntries(tree.members.map(([name, held]) => [name, plain(held)])) : tree;
}
