// The bounds of admission: how much a server may publish before it is refused, and how much of a refusal is shown. Each schema
// bound is at least three times what the servers in docs/SCHEMAS.md need.

export const SCHEMA_LIMITS = Object.freeze({
  /** UTF-8 bytes of the schema's JSON text. */
  bytes: 256 * 1024,
  /** Subschemas. */
  nodes: 5_000,
  /** Subschemas directly within one schema: they are compiled into one another. */
  siblings: 1_000,
  /** Subschemas where `unevaluatedProperties` or `unevaluatedItems` is used: compiling takes the square of their number. */
  nodesUnevaluated: 1_000,
  /** Subschemas below one another; the root is 0. */
  depth: 32,
  /** Arrays and objects below one another, in schemas and in the data they carry (`enum`, `default`). */
  nesting: 96,
  /** `pattern` and names of `patternProperties`. */
  patterns: 200,
  /** Characters of one pattern. */
  patternLength: 1_000,
  /** Values of all `enum` together. */
  enumValues: 5_000,
  /** Characters of one member name. */
  keyLength: 256,
});

export const TOOLSET_LIMITS = Object.freeze({
  /** Characters of a published name. */
  nameLength: 1_024,
  /** Characters of one description. */
  descriptionLength: 256 * 1024,
  /** Bytes of all schemas of one list. */
  schemaBytes: 16 * 1024 * 1024,
});

/** A schema with more subschemas than this is run once before it is admitted: some only fail when they run. */
export const TRIAL_NODES = 500;

/** Findings of one schema; the walk stops there. */
export const MAX_FINDINGS = 20;
/** Entries of a failure's details, and notes of a toolset. */
export const MAX_DETAILS = 100;
export const MAX_NOTES = 1_000;

/** A pattern whose counted repetitions unfold to more instructions than this is not asserted. */
export const PATTERN_SIZE = 2_000;

/** Work of one check of a value (subschemas applied, and the rest in like units). */
export const CHECK_STEPS = Object.freeze({ fast: 10_000_000, full: 2_000_000 });

/** Errors that one check may hold at a time. The first pass only holds those of branches not taken; a wide choice has many. */
export const CHECK_ERRORS = Object.freeze({ fast: 10_000, full: 2_000 });
