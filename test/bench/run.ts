// `npm run bench [-- call|snapshot|start|loss …] [--rounds N] [--quick] [--raw]`: figures as a table for people, then one line of JSON for
// programs. Nothing here is asserted: what must hold is in the tests. Linux only (it reads /proc).
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { benchCall } from "./call.ts";
import { benchLoss } from "./loss.ts";
import { benchSnapshot } from "./snapshot.ts";
import { benchStart } from "./start.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    quick: { type: "boolean", default: false },
    raw: { type: "boolean", default: false },
  },
});
const { quick, raw } = values;
const rounds = quick ? 3 : Number(values.rounds);

const benches = {
  call: () => benchCall({ rounds, sequential: quick ? 500 : 2_000, parallel: quick ? 2_000 : 8_000, raw }),
  snapshot: () => benchSnapshot({ sizes: quick ? [10, 100] : [10, 100, 1_000, 5_000], repeats: quick ? 50 : 300 }),
  start: () => benchStart(quick ? 3 : 10),
  loss: () => benchLoss(quick ? 5 : 30),
} as const;

const isBench = (name: string): name is keyof typeof benches => Object.hasOwn(benches, name);
const unknown = positionals.filter((name) => !isBench(name));
if (unknown.length > 0) throw new Error(`no bench ${unknown.join(", ")}: there are ${Object.keys(benches).join(", ")}`);
const asked = positionals.length === 0 ? Object.keys(benches) : positionals;

const machine = { node: process.version, cores: cpus().length, processor: cpus()[0]?.model ?? "" };
process.stdout.write(`Node.js ${machine.node}, ${String(machine.cores)} cores, ${machine.processor}\n`);
const results: Record<string, unknown> = { machine };
for (const name of asked.filter(isBench)) {
  const { text, result } = await benches[name]();
  results[name] = result;
  process.stdout.write(`\n${name}${raw && name === "call" ? " (server without the SDK)" : ""}\n\n${text}\n`);
}
process.stdout.write(`\n${JSON.stringify(results)}\n`);
