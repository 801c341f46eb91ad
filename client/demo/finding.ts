// One finding of the demo: what it says, whether it holds, and what shows it. Checks are collected one by one; a finding holds
// when all of them do, and is "not observed" when there was nothing to check.

export interface Finding {
  readonly number: number;
  readonly title: string;
  readonly result: "holds" | "fails" | "not_observed";
  /** What was seen. */
  readonly proof: readonly string[];
  /** What was expected and not seen. */
  readonly missing: readonly string[];
}

export class Checks {
  readonly #proof: string[] = [];
  readonly #failed: string[] = [];
  readonly #unobserved: string[] = [];

  /** `expected` says what should be, `seen` what is. */
  check(holds: boolean, expected: string, seen: string): void {
    if (holds) this.#proof.push(seen);
    else this.#failed.push(`${expected}; seen: ${seen}`);
  }

  /** What should have happened did not come up. */
  notObserved(what: string): void {
    this.#unobserved.push(what);
  }

  finding(number: number, title: string): Finding {
    const missing = [...this.#failed, ...this.#unobserved.map((what) => `not observed: ${what}`)];
    const result = this.#failed.length > 0 ? "fails" : this.#unobserved.length > 0 ? "not_observed" : "holds";
    return { number, title, result, proof: this.#proof, missing };
  }
}
