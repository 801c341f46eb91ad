// What this program is called.
import packageJson from "../package.json" with { type: "json" };

export const PROGRAM = Object.freeze({ name: packageJson.name, version: packageJson.version });
