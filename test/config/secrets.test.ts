// What is taken for a secret and what is not: command lines as people have them, with secrets made up for this test. Also the rule
// that makes aliases of names.
import fc from "fast-check";
import { expect } from "vitest";
import { aliasFor } from "../../config/alias.ts";
import { isSecretName, maskArgs, secretsInArgs, secretsInVariable } from "../../config/secrets.ts";
import { ALIAS_PATTERN } from "../../daemon/contract/index.ts";
import { proves } from "../support/promise.ts";

const RANDOM = "q7Xw2LmP9zKd4RtV8bNc3HsJ";
/** As written, with `‹…›` around every secret part. */
const HOLD_SECRETS: readonly (readonly string[])[] = [
  ["--token", "‹hunter2›"],
  ["--token=‹hunter2 with blanks; and signs›"],
  ["--api-key", "‹abc123def›", "--verbose"],
  ["--password", "‹-abc›"],
  ["-e", "GITHUB_PERSONAL_ACCESS_TOKEN=‹abc›", "ghcr.io/github/github-mcp-server"],
  ["--header", "Authorization: Bearer ‹abcdef123›"],
  ["--header", "Authorization:Bearer ‹abcdef123›"],
  ["-H", "X-Api-Key: ‹zzz›"],
  ["--header=X-Api-Key: ‹zzz›"],
  ["postgres://user:‹pass›@host/db"],
  ["postgresql://u:‹p/w›@h/db"],
  ["mongodb+srv://u:‹p@ss›@cluster0.x.mongodb.net/db"],
  ["https://u:‹pw›@host/x"],
  ["redis://:‹pw›@localhost:6379"],
  ["Server=db;User Id=sa;Password=‹Passw0rd›;"],
  ["https://mcp.example.com/sse?api_key=‹abc123›&x=1"],
  ["https://mcp.example.com/mcp?exampleApiKey=‹11111111-2222-3333-4444-555555555555›"],
  [`https://mcp.example.com/s/‹${RANDOM}8Qw2›/mcp`],
  ["‹sk-proj-abcDEF1234567890abcd›"],
  ["‹sk-ant-api03-AbCdEfGhIjKlMnOpQr-StUv_wx›"],
  ["‹ghp_0123456789abcdefghijABCDEFGHIJ012345›"],
  ["‹github_pat_11ABCDEFG0aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbb›"],
  ["‹glpat-abcdefghijklmnopqrst›"],
  ["‹xoxb-123456789012-abcdef›"],
  ["‹AKIAIOSFODNN7EXAMPLE›"],
  ["‹npm_abcdefghijklmnopqrstuvwxyz0123456789›"],
  ["‹eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_ghi›"],
  ["‹-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----›"],
  ["https://hooks.slack.com/services/‹T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX›"],
  [`‹${RANDOM}›`],
  [`‹0x${"a1b2c3d4".repeat(8)}›`],
  ["‹d41d8cd98f00b204e9800998ecf8427e›"],
  ["--config", '{"exampleApiKey":"‹x1y2›","name":"me"}'],
  ["--config", '"{\\"apiKey\\":\\"‹x1y2›\\"}"'],
  ["--key", "‹9e1b8a7c-1111-4222-8333-123456789abc›"],
  ["sh", "-c", "GITHUB_TOKEN=‹abc› npx foo --token ‹xyz› --verbose"],
  ["sh", "-c", 'curl -H "Authorization: Bearer ‹abc123›" x'],
  ["--token", "‹${TOKEN:-real}›"],
];

const HOLD_NONE: readonly (readonly string[])[] = [
  ["-y", "@modelcontextprotocol/server-memory@2026.8.31"],
  ["/home/user/Projects/My-App2/src/Index3.ts"],
  ["C:\\Users\\me\\Documents\\Project2"],
  ["~/notes/2024-Q3/Plan7.md"],
  ["--from", "git+https://github.com/oraios/serena@v0.1.4", "serena"],
  ["git+https://github.com/x/y@d41d8cd98f00b204e9800998ecf8427ed41d8cd9"],
  ["run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"],
  [`mcr.example.com/playwright/mcp@sha256:${"ab12cd34".repeat(8)}`],
  ["--token-file", "/run/secrets/x"],
  ["--max-tokens", "4096", "--tokenizer", "o200k_base"],
  ["--auth", "oauth2"],
  ["--key", "/etc/ssl/key.pem"],
  ["--api-key", "${API_KEY}"],
  ["--header", "Authorization: Bearer ${TOKEN}"],
  ["--header", "Authorization:${AUTH}"],
  ["postgres://user:${PASS}@host/db", "postgresql://localhost/mydb"],
  ["https://mcp.example.dev/mcp", "http://localhost:8080/@scope/pkg@1.0", "ssh://git@github.com/x/y"],
  ["--project-ref=abcdefghijklmnopqrst", "--project", "9e1b8a7c-1111-4222-8333-123456789abc"],
  ["--no-auth", "--verbose", "--token", "--other"],
  ["task-management-service-for-teams-v2", "my-sk-learn-server-package-name"],
  ["secret_manager_server_for_google_cloud_v2", "key-value-store-server-with-long-name1"],
  ["com.example.MyApplicationService2024Handler"],
  ["src/components/MyComponent2/IndexHandler9View.tsx"],
  ["/nix/store/0c1c5x9yabcd2345xyz98765432kjhgf-nodejs-20.1/bin/node"],
  ["0x52908400098527886E0F7030069857D2E4169EE7"],
  ["--label", "2024-11-05T10:00:00.000Z"],
  ["--config", '{"name":"x","sort_key":"y"}'],
  ["uv", "--directory", "/Users/me/dev/mcp-server-20240101", "run", "main.py"],
];

const bare = (marked: string): string => marked.replaceAll(/[‹›]/g, "");

proves(
  "IMP-8",
  "secrets in arguments are found by flag, by header, in addresses and by shape, exactly as far as they reach",
  () => {
    for (const marked of HOLD_SECRETS) {
      const args = marked.map(bare);
      const found = secretsInArgs(args).map(({ index, start, end }) => [index, args[index]?.slice(start, end)]);
      const meant = marked.flatMap((word, index) => [...word.matchAll(/‹([^›]*)›/g)].map(([, secret]) => [index, secret]));
      expect(found, JSON.stringify(args)).toEqual(meant);
    }
  },
);

proves("IMP-8", "paths, packages, references, ids and flags without a value are no secrets", () => {
  for (const args of HOLD_NONE) expect(maskArgs(args), JSON.stringify(args)).toEqual(args);
});

proves("IMP-8", "masked arguments keep what is no secret, tell equal secrets by equal digests, and nothing of them", () => {
  const [flag, value = "", url = ""] = maskArgs(["--token", "hunter2-of-mine", "https://x.example/?token=hunter2-of-mine&a=1"]);
  expect(flag).toBe("--token");
  expect(value).toMatch(/^<secret sha256:[0-9a-f]{16}>$/);
  expect(url).toBe(`https://x.example/?token=${value}&a=1`);
  expect(maskArgs(["--token", "another"])[1]).not.toBe(value);
});

proves("IMP-8", "names promise a secret by their words; names about a secret do not", () => {
  const secret =
    "OPENAI_API_KEY PGPASSWORD accessToken X-Api-Key SECRET_ID DB_PWD GITHUB_PAT NOTION_TOKEN COOKIE TOKEN_PROD clientSecret";
  for (const name of secret.split(" ")) expect(isSecretName(name), name).toBe(true);
  const none =
    "PATH MAX_TOKENS TOKEN_FILE PUBLIC_KEY AUTH_TYPE SECRET_NAME PWD KEYBOARD TOKENIZER AUTHOR COMPASS NO_AUTH BYPASS PRIMARY_KEY";
  for (const name of none.split(" ")) expect(isSecretName(name), name).toBe(false);
});

proves("IMP-8", "a variable's value is secret by its name or by what stands in it", () => {
  expect(secretsInVariable("API_TOKEN", "abc")).toMatchObject([{ start: 0, end: 3 }]);
  expect(secretsInVariable("DATABASE_URL", "postgres://a:b@c/d")).toMatchObject([{ start: 13, end: 14 }]);
  expect(secretsInVariable("WHATEVER", "ghp_0123456789abcdefghijABCDEFGHIJ012345")).toHaveLength(1);
  for (const [name, value] of [
    ["GOOGLE_APPLICATION_CREDENTIALS", "/home/me/x.json"],
    ["TOKEN", "${TOKEN}"],
    ["API_KEY", ""],
    ["LANG", "C.UTF-8"],
    ["AUTH", "true"],
  ] as const)
    expect(secretsInVariable(name, value), name).toEqual([]);
});

proves("IMP-8", "no text makes the search slow or its parts overlap", () => {
  const bits = ["sk-", "a=", "://", "eyJ", '"', "\\", "--token ", "${", "}", "a1B", " ", ":", "@", "Bearer ", "-----BEGIN ", "x"];
  fc.assert(
    fc.property(fc.array(fc.array(fc.constantFrom(...bits), { maxLength: 30 }), { maxLength: 4 }), (words) => {
      const args = words.map((word) => word.join(""));
      const last = new Map<number, number>();
      for (const { index, start, end } of secretsInArgs(args)) {
        expect(start).toBeGreaterThanOrEqual(last.get(index) ?? 0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(args[index]?.length ?? 0);
        last.set(index, end);
      }
    }),
    { numRuns: 2_000 },
  );
  const started = performance.now();
  for (const bit of bits) maskArgs([bit.repeat(20_000)]);
  expect(performance.now() - started).toBeLessThan(10_000);
});

proves("IMP-2", "an alias follows from its name by the rule, and is always a valid one", () => {
  const rule = {
    memory: "memory",
    "My Server": "my_server",
    "@modelcontextprotocol/server-github": "modelcontextprotocol_server_gith",
    "Café Zürich": "cafe_zurich",
    "21st-dev/magic": "mcp_21st_dev_magic",
    "--x--": "x",
    __proto__: "proto",
    a_b__c: "a_b_c",
    日本: undefined,
    "": undefined,
  };
  for (const [name, alias] of Object.entries(rule)) expect(aliasFor(name), name).toBe(alias);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (name) => {
      const alias = aliasFor(name);
      if (alias === undefined) return;
      expect(alias).toMatch(ALIAS_PATTERN);
      // It is one itself, and stays what it is.
      expect(aliasFor(alias)).toBe(alias);
    }),
    { numRuns: 5_000 },
  );
});
