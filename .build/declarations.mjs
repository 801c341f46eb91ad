// The type declarations of the package: what the public entry reaches, file by file, as TypeScript itself writes it. Relative
// imports end in `.js`, as every resolution of a consumer understands them; what the entry does not reach is left out. Refuses
// sources that do not check, so that no package has types that are wrong.
import { dirname, join, resolve } from "node:path";
import ts from "typescript";

/** `[{path, contents}]` for every declaration file, below `outDir`. */
export function declarationsOf(root, entry, outDir) {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const settings = {
    ...config.compilerOptions,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir,
    rootDir: ".",
  };
  const { options } = ts.convertCompilerOptionsFromJson(settings, root);
  // Declarations for modules of others (`declare module`) belong to the program although nothing imports them.
  const ambient = ts.sys.readDirectory(join(root, dirname(entry)), [".d.ts"]);
  const program = ts.createProgram([join(root, entry), ...ambient], options);
  const files = new Map();
  const { diagnostics } = program.emit(undefined, (path, text) => files.set(resolve(path), text), undefined, true, {
    afterDeclarations: [endInJs],
  });
  const faults = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (faults.length > 0) throw new Error(ts.formatDiagnostics(faults, formatting(root)));

  const first = resolve(root, outDir, entry.replace(/\.ts$/, ".d.ts"));
  return [...reachable(files, first)].map((path) => ({ path, contents: files.get(path) }));
}

const formatting = (root) => ({ getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => "\n" });

/** The compiler rewrites the endings of imports in what it emits as JavaScript, not in declarations. */
function endInJs(context) {
  const { factory } = context;
  const rewritten = (node) =>
    ts.isStringLiteral(node) && /^\.{1,2}\/.*(?<!\.d)\.ts$/.test(node.text)
      ? factory.createStringLiteral(node.text.replace(/\.ts$/, ".js"))
      : undefined;
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const from = node.moduleSpecifier === undefined ? undefined : rewritten(node.moduleSpecifier);
      if (from === undefined) return node;
      return ts.isImportDeclaration(node)
        ? factory.updateImportDeclaration(node, node.modifiers, node.importClause, from, node.attributes)
        : factory.updateExportDeclaration(node, node.modifiers, node.isTypeOnly, node.exportClause, from, node.attributes);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const from = rewritten(node.argument.literal);
      const inner = ts.visitEachChild(node, visit, context);
      if (from === undefined) return inner;
      const argument = factory.createLiteralTypeNode(from);
      return factory.updateImportTypeNode(
        inner,
        argument,
        inner.attributes,
        inner.qualifier,
        inner.typeArguments,
        inner.isTypeOf,
      );
    }
    return ts.visitEachChild(node, visit, context);
  };
  return (file) => ts.visitNode(file, visit);
}

/** The declaration files that `first` leads to, itself among them. */
function reachable(files, first) {
  const seen = new Set();
  const open = [first];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    const text = files.get(path);
    if (text === undefined) throw new Error(`The declarations lack ${path}`);
    seen.add(path);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (fileName.startsWith(".")) open.push(resolve(dirname(path), fileName.replace(/\.js$/, ".d.ts")));
    }
  }
  return seen;
}
