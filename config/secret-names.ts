// Which names of variables, flags, headers and members promise a secret. A name is read as words (`API_KEY`, `api-key`, `apiKey`,
// `X-Api-Key` are the same two); names that speak about a secret (`TOKEN_FILE`, `MAX_TOKENS`, `PUBLIC_KEY`) promise none.

/** `sure`: what it holds is a secret, whatever it looks like. `likely`: often one, often not. */
export type NameVerdict = "sure" | "likely" | "no";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const SURE = words(
  "token tokens secret secrets password passwords passwd pwd pass passphrase passcode apikey apikeys jwt bearer authorization",
);
const LIKELY = words("key keys auth credential credentials creds cred cookie cookies pat dsn sig signature");
/** Written together: `PGPASSWORD`, `accesstoken`. */
const GLUED = /(?:token|secret|password|passwd|passphrase|apikey|secretkey|accesskey|privatekey)s?$/;
/** What stands last says what it is about a secret. */
const ABOUT = words(
  [
    "file files path paths dir directory folder url uri endpoint host port name names type types kind mode method provider",
    "strategy scope scopes limit limits count size length max min ttl expiry expires expiration lifetime timeout interval age",
    "budget window enabled disabled required optional prefix suffix format encoding version id ids env var variable command",
    "helper usage store storage algorithm issuer audience rotation length",
  ].join(" "),
);
const NO_SECRET_KEY = words(
  "public primary foreign sort partition cache idempotency hot order group index map json object row routing shortcut",
);
/** `--no-auth`, `MAX_TOKENS`. */
const SWITCH = words("no disable enable use allow require skip with without max min num count show hide mask redact");
/** Names whose end is innocent and whose value is not. */
const AS_A_WHOLE = words("secret_id role_secret_id");
/** Of the shell, not of anybody's secret. */
const INNOCENT = words("pwd oldpwd key keys token_type");

export function judgeName(name: string): NameVerdict {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "");
  const whole = parts.join("_");
  if (AS_A_WHOLE.has(whole)) return "sure";
  if (whole === "key" || whole === "keys") return "likely";
  if (INNOCENT.has(whole)) return "no";
  const last = parts.at(-1) ?? "";
  const before = parts.at(-2) ?? "";
  if (ABOUT.has(last) || SWITCH.has(parts[0] ?? "")) return "no";
  if (last === "key" && NO_SECRET_KEY.has(before)) return "no";
  if (SURE.has(last) || GLUED.test(last)) return "sure";
  // `SECRET_KEY`, `ACCESS_KEY`, `PRIVATE_KEY`, `API_KEY`: no other keys are called so.
  if (last === "key" && ["api", "secret", "access", "private", "auth", "encryption", "signing", "master"].includes(before))
    return "sure";
  if (LIKELY.has(last)) return "likely";
  // `TOKEN_PROD`, `PASSWORD_2`: the word stands earlier and nothing says it is about it.
  return parts.some((part) => SURE.has(part) || GLUED.test(part))
    ? "sure"
    : parts.some((part) => LIKELY.has(part))
      ? "likely"
      : "no";
}

/** Whether a value under this name is to be kept out of sight. */
export function isSecretName(name: string): boolean {
  return judgeName(name) !== "no";
}
