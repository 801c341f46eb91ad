// The program's own name and version, as package.json has them.
import packageFile from "../package.json" with { type: "json" };

export const PROGRAM = Object.freeze({ name: packageFile.name, version: packageFile.version });
