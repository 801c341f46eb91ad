// The formats that are asserted: those of ajv-formats, with `uri`, `url` and `byte` replaced (the stock ones refuse what servers
// take, or are quadratic). Every other format is an annotation. docs/SCHEMAS.md has the table.
import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Format } from "ajv";
import { charge } from "./steps.ts";

/** Formats that say nothing about the text here: known, and never asserted. */
export const QUIET_FORMATS: ReadonlySet<string> = new Set(
  (
    "uint uint8 uint16 uint32 uint64 int8 int16 decimal json json-string iri iri-reference idn-email idn-hostname cuid cuid2 ulid " +
    "xid ksuid nanoid jwt base64 base64url emoji e164 cidrv4 cidrv6 mac guid lowercase uppercase password binary float double"
  ).split(" "),
);

type Test = (text: string) => boolean;

function testOf(format: Format): Test {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === "function") return (text) => format(text);
  if (typeof format === "object" && "validate" in format) {
    const validate = format.validate as RegExp | Test;
    return validate instanceof RegExp ? (text) => validate.test(text) : validate;
  }
  return () => true;
}

const rfcUri = testOf(fullFormats.uri);
/** What `new URL` takes, or the RFC's grammar: the latter alone refuses `https://example.com/ä` and `…/{id}`. */
const uri: Test = (text) => URL.canParse(text) || (text.length <= LONGEST && rfcUri(text));
const byte: Test = (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** Characters; a longer text is not matched against a format's own expression. */
const LONGEST = 64 * 1024;
/** Values of these formats are short: a text over 1,024 characters is none. */
const SHORT = "date time date-time iso-time iso-date-time duration email hostname ipv4 ipv6 uuid".split(" ");

const texts: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(
    SHORT.map((name): [string, Test] => {
      const test = testOf(fullFormats[name as keyof typeof fullFormats]);
      return [name, (text) => text.length <= 1_024 && test(text)];
    }),
  ),
  ...Object.fromEntries(
    (
      ["uri-reference", "uri-template", "regex", "json-pointer", "json-pointer-uri-fragment", "relative-json-pointer"] as const
    ).map((name): [string, Test] => {
      const test = testOf(fullFormats[name]);
      return [name, (text) => text.length > LONGEST || test(text)];
    }),
  ),
  uri,
  url: uri,
  byte,
};

/** As Ajv takes them. */
export const ASSERTED_FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ...Object.entries(texts).map(([name, test]): [string, Format] => [
    name,
    {
      type: "string",
      validate: (text: string) => {
        charge(text.length / 16);
        return test(text);
      },
    },
  ]),
  ["int32", { type: "number", validate: (value: number) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31 }],
  ["int64", { type: "number", validate: (value: number) => Number.isInteger(value) }],
]);
