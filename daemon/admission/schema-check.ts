// Checks a value against a compiled schema, without changing it. The first pass only says whether it matches; when it does not, a
// second validator, made at the first need, collects several issues within a smaller budget. A value that cannot be checked within
// bounds does not match.
import type { ValidateFunction } from "ajv";
import type { Issue } from "../contract/index.ts";
import type { SchemaCheck } from "../registry/types.ts";
import { issuesOf } from "./issues.ts";
import { CHECK_STEPS } from "./limits.ts";
import { withPlainNumbers } from "./plain-numbers.ts";
import { StepsSpent, withSteps } from "./steps.ts";

const MATCHES: readonly Issue[] = Object.freeze([]);
const TOO_MUCH = oneIssue("takes too many steps to check against the schema");
const UNCHECKABLE = oneIssue("cannot be checked against the schema");
const TOO_DEEP = oneIssue("is nested too deeply to be checked");

/** `collecting` gives the validator that goes on after the first mismatch; it is asked once. */
export function schemaCheck(first: ValidateFunction, collecting: () => ValidateFunction): SchemaCheck {
  let collector: ValidateFunction | "none" | undefined;

  const collect = (value: unknown): readonly Issue[] => {
    if (collector === "none") return [];
    try {
      const all = collector ?? collecting();
      collector = all;
      return withSteps(CHECK_STEPS.full, () => (all(value) ? [] : takeIssues(all)));
    } catch {
      // Out of steps, out of stack: the first mismatch has to do. What cannot be made is not tried again.
      collector ??= "none";
      return [];
    }
  };

  return (given) => {
    try {
      const value = withPlainNumbers(given);
      if (withSteps(CHECK_STEPS.fast, () => first(value))) return MATCHES;
      const issues = takeIssues(first);
      const more = collect(value);
      return more.length > 0 ? more : issues.length > 0 ? issues : oneIssue("does not match the schema");
    } catch (error) {
      if (error instanceof StepsSpent) return TOO_MUCH;
      // The generated code recurses where the schema does.
      if (error instanceof RangeError) return TOO_DEEP;
      // Generated code may be wrong (Ajv's, for some nestings of unevaluatedProperties): it must not look like a match.
      return UNCHECKABLE;
    }
  };
}

function takeIssues(validate: ValidateFunction): readonly Issue[] {
  const issues = issuesOf(validate.errors ?? []);
  // The errors hold parts of the value: they must not outlive the check.
  validate.errors = null;
  return issues;
}

function oneIssue(message: string): readonly Issue[] {
  return Object.freeze([Object.freeze({ pointer: "", message })]);
}
