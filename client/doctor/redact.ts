// What a server wrote, without the secrets that we gave to it: every value that came out of a variable or stands in its `env`, in
// plain, in base64 and as part of an address. A secret that the server has from elsewhere is not known to us.
import type { ServerSpec } from "../../daemon/contract/index.ts";

/** Shorter values are words of everyday language, and hide nothing. */
const SHORTEST = 5;
const HIDDEN = "…";

export function redact(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf);
  // The longest first: a part of a secret is no reason to leave the rest of it.
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length).reduce((left, form) => left.replaceAll(form, HIDDEN), text);
}

/** Of its environment all values; of the rest what is not as it stands in the file. */
export function secretsOf({ launch, written }: ServerSpec): readonly string[] {
  const expanded = (value: string, text: string): readonly string[] => (text.includes("${") ? [value] : []);
  return [
    ...Object.values(launch.env),
    ...launch.args.filter((arg, at) => arg !== written.args[at]),
    ...expanded(launch.command, written.command),
    ...expanded(launch.cwd, written.cwd),
  ];
}

function formsOf(secret: string): readonly string[] {
  const lines = secret.split("\n").filter((line) => line.length >= SHORTEST);
  return [secret, ...lines, encodeURIComponent(secret), ...base64Forms(secret)];
}

/** Base64 of a text depends on where it begins: what is the same wherever it stands is its middle. */
function base64Forms(secret: string): readonly string[] {
  const middles = [0, 1, 2].map((shift) =>
    Buffer.from(`${"x".repeat(shift)}${secret}`)
      .toString("base64")
      .slice(4, -4),
  );
  return [...middles, ...middles.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))].filter(
    (form) => form.length >= SHORTEST,
  );
}
