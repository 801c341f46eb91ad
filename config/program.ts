// What this program is called, and which Node.js it needs.
import packageJson from "../package.json" with { type: "json" };

export const PROGRAM = Object.freeze({ name: packageJson.name, version: packageJson.version });

/** A range of semver. */
export const NODE_RANGE = packageJson.engines.node;
