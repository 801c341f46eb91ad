// Checks the params of a method against its schema in the method table. Params are validated, never changed. Each schema is
// compiled when its method is first called.
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { METHOD_PARAMS, PoolError, type MethodName, type MethodParams } from "../contract/index.ts";

const ajv = new Ajv2020({ strict: true, allErrors: false, validateFormats: false, code: { optimize: false } });
const compiled = new Map<MethodName, ValidateFunction>();

/** Absent params are `{}`. Throws `invalid_params`, naming the place (a JSON Pointer into params) and the fault. */
export function checkParams<M extends MethodName>(method: M, params: unknown): MethodParams<M> {
  if (Array.isArray(params)) throw new PoolError("invalid_params", "Params are given by name, as an object", { pointer: "" });
  const given = params ?? {};
  const validate = validatorOf(method);
  if (isParams<M>(given, validate)) return given;
  const { pointer, fault } = faultOf(validate.errors?.[0]);
  throw new PoolError("invalid_params", `Invalid params of ${method}: ${pointer === "" ? "params" : pointer} ${fault}`, {
    pointer,
  });
}

function validatorOf(method: MethodName): ValidateFunction {
  let validate = compiled.get(method);
  if (validate === undefined) compiled.set(method, (validate = ajv.compile(METHOD_PARAMS[method])));
  return validate;
}

/** The method table holds the type and the schema of the same params. */
function isParams<M extends MethodName>(given: unknown, validate: ValidateFunction): given is MethodParams<M> {
  return validate(given);
}

/** A missing or extra member is pointed at itself. */
function faultOf(error: ErrorObject | undefined): { readonly pointer: string; readonly fault: string } {
  if (error === undefined) return { pointer: "", fault: "is not valid" };
  const at = error.instancePath;
  const params = error.params as Readonly<Record<string, unknown>>;
  const member = (name: unknown): string => `${at}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  if (error.keyword === "required") return { pointer: member(params.missingProperty), fault: "is missing" };
  if (error.keyword === "additionalProperties") return { pointer: member(params.additionalProperty), fault: "is not known" };
  if (error.keyword === "enum" && Array.isArray(params.allowedValues)) {
    return { pointer: at, fault: `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(", ")}` };
  }
  return { pointer: at, fault: error.message ?? "is not valid" };
}
