// The recent versions in memory: a ring of frozen states without gaps. What falls out of it is read from the journal.
import type { RegistryState } from "./types.ts";

export class History {
  readonly #ring: RegistryState[] = [];
  readonly #capacity: number;
  #current: RegistryState;

  constructor(first: RegistryState, capacity: number) {
    this.#capacity = Math.max(1, capacity);
    this.#current = first;
    this.#put(first);
  }

  get current(): RegistryState {
    return this.#current;
  }

  /** The oldest version in memory. */
  get floor(): number {
    return Math.max(this.#first, this.#current.version - this.#capacity + 1);
  }

  append(state: RegistryState): void {
    this.#current = state;
    this.#put(state);
  }

  at(version: number): RegistryState | undefined {
    const state = this.#ring[version % this.#capacity];
    return state?.version === version ? state : undefined;
  }

  #first = 0;

  #put(state: RegistryState): void {
    if (this.#first === 0) this.#first = state.version;
    this.#ring[state.version % this.#capacity] = state;
  }
}
