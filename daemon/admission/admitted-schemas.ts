// Admitted schemas by content: equal ones are one frozen object with one check, within a toolset, across refreshes and across
// servers. Nothing here keeps one alive; the tools that use it do, so it goes with the last toolset that holds it.
import type { Issue, JsonObject } from "../contract/index.ts";
import type { SchemaCheck } from "../registry/types.ts";

export interface AdmittedParts {
  readonly schema: JsonObject;
  readonly check: SchemaCheck;
  readonly notes: readonly Issue[];
  /** Bytes of the published text. */
  readonly bytes: number;
}

export class AdmittedSchema {
  readonly schema: JsonObject;
  readonly notes: readonly Issue[];
  readonly bytes: number;
  /** Holds this object: whoever keeps the check keeps the schema findable. */
  readonly check: SchemaCheck = (value) => this.#check(value);
  readonly #check: SchemaCheck;

  constructor(parts: AdmittedParts) {
    this.schema = parts.schema;
    this.notes = parts.notes;
    this.bytes = parts.bytes;
    this.#check = parts.check;
    Object.freeze(this);
  }
}

export class AdmittedSchemas {
  readonly #byDigest = new Map<string, WeakRef<AdmittedSchema>>();
  readonly #collected = new FinalizationRegistry<string>((digest) => {
    // A successor may have taken the place already.
    if (this.#byDigest.get(digest)?.deref() === undefined) this.#byDigest.delete(digest);
  });

  get size(): number {
    return this.#byDigest.size;
  }

  find(digest: string): AdmittedSchema | undefined {
    return this.#byDigest.get(digest)?.deref();
  }

  keep(digest: string, admitted: AdmittedSchema): void {
    this.#byDigest.set(digest, new WeakRef(admitted));
    this.#collected.register(admitted, digest);
  }
}
