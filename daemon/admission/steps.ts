// The budget of one check. A server chooses the schema and, for results, the value, and some pairs take for ever (a recursive
// reference under two branches doubles the work with every level). Every subschema applied takes a step; when the steps are spent
// the check ends with StepsSpent. One check runs at a time and to its end, so one counter serves all.

export class StepsSpent extends Error {
  override readonly name = "StepsSpent";
}

/** Read and written by the generated code too (schema-compiler.ts). */
export const steps = {
  left: 0,
  spent(): never {
    throw new StepsSpent("the steps of this check are spent");
  },
};

export function charge(amount: number): void {
  steps.left -= amount;
  if (steps.left < 0) steps.spent();
}

/** Runs a check with `amount` steps. Throws StepsSpent. */
export function withSteps<T>(amount: number, check: () => T): T {
  steps.left = amount;
  return check();
}
