// The small soak: the same program as `npm run bench:soak`, with fewer calls, so that every run of the tests has it.
import { expect } from "vitest";
import { soak } from "./bench/soak-run.ts";
import { proves } from "./support/promise.ts";

proves(
  "PRJ-7",
  "5,000 calls from 8 sessions, with servers crashing, coming back and changing their lists",
  async () => {
    const report = await soak({ calls: 5_000, sessions: 8, lanes: 4, seed: 20_261_201, restMs: 0 });
    expect(report.faults).toEqual([]);
    expect(report.calls).toBeGreaterThanOrEqual(5_000);
    // The servers did die and come back, and most of the work was done all the same.
    expect(report.connects).toBeGreaterThan(8);
    expect(report.outcomes.ok).toBeGreaterThan(2_500);
  },
  120_000,
);
