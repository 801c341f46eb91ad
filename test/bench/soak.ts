// `npm run bench:soak [-- --calls N] [--seed N]`: the soak at full size, by default 100,000 calls from 8 sessions of 4 lanes each.
// Prints a report; exits with 1 when something is not accounted for.
import { parseArgs } from "node:util";
import { soak } from "./soak-run.ts";

const { values } = parseArgs({
  options: { calls: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } },
});
const report = await soak({ calls: Number(values.calls), sessions: 8, lanes: 4, seed: Number(values.seed), restMs: 10_000 });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.faults.length === 0 ? 0 : 1;
