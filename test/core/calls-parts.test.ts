// The pure parts of the call path: call ids, shaping of outcomes, numbers.
import { parse } from "lossless-json";
import { expect } from "vitest";
import { canonicalJson, type Outcome } from "../../daemon/contract/index.ts";
import { shapeOutcome } from "../../daemon/calls/shape.ts";
import { permit } from "../../daemon/calls/permit.ts";
import type { RemoteResult } from "../../daemon/calls/ports.ts";
import { CallLedger } from "../../daemon/sessions/call-ledger.ts";
import type { SchemaCheck } from "../../daemon/registry/types.ts";
import { proves } from "../support/promise.ts";

proves("CORE-12", "early cancel, in flight, finished: each answer, and the bounds of the memory", () => {
  let now = 0;
  const ledger = new CallLedger(() => now);
  expect(ledger.cancel("early")).toBe(true);
  expect(ledger.begin("early", new AbortController())).toBe(true);
  ledger.end("early");
  expect(ledger.cancel("early")).toBe(false);
  // A finished id that was asked to be cancelled is not remembered: it can be used again.
  expect(ledger.begin("early", new AbortController())).toBe(false);

  const controller = new AbortController();
  expect(ledger.begin("running", controller)).toBe(false);
  expect(() => ledger.begin("running", new AbortController())).toThrow("in flight");
  expect(ledger.cancel("running")).toBe(true);
  expect(controller.signal.aborted).toBe(true);
  ledger.end("running");

  expect(ledger.cancel("late")).toBe(true);
  now += 60_001;
  expect(ledger.begin("late", new AbortController())).toBe(false);
  // After a minute, and after a thousand others, a finished id is forgotten: the cancel is then an early one.
  expect(ledger.cancel("running")).toBe(true);
  ledger.begin("old", new AbortController());
  ledger.end("old");
  for (let n = 0; n < 1_000; n++) ledger.end(`n${n}`);
  expect(ledger.cancel("old")).toBe(true);
  expect(ledger.cancel("n999")).toBe(false);
});

const context = { tool: "lookup", alias: "alpha", effect: "read", checkResult: undefined } as const;

function shape(result: string, more: { checkResult?: SchemaCheck; maxBytes?: number } = {}): { outcome: Outcome; text: string } {
  const line = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
  const lossy = /\d{16}/.test(line);
  const value: unknown = lossy ? parse(result, undefined, keepUnsafe) : JSON.parse(result);
  const raw: RemoteResult = { value, bytes: line.length, hasNumberText: lossy, line };
  const { maxBytes = 1_000_000, ...rest } = more;
  const outcome = shapeOutcome({ kind: "answer", raw, maxBytes }, { ...context, ...rest });
  return { outcome, text: canonicalJson(outcome) };
}

const keepUnsafe = (text: string): unknown =>
  Number.isSafeInteger(Number(text)) ? Number(text) : { isLosslessNumber: true, value: text };

proves("CORE-13", "the examples of the contract, letter by letter", () => {
  expect(
    shape(
      '{"content":[{"type":"text","text":"{\\"query\\":\\"needle\\",\\"label\\":\\"alpha\\"}"}],"structuredContent":{"label":"alpha","query":"needle"}}',
    ).text,
  ).toBe(
    '{"content":[],"server_alias":"alpha","status":"ok","structured_content":{"label":"alpha","query":"needle"},"tool":"lookup"}',
  );
  expect(shape('{"isError":true,"content":[{"type":"text","text":"secret"}]}').text).toBe(
    '{"error":{"code":"mcp_remote_error","message":"MCP server reported a tool error"},"server_alias":"alpha","status":"error","tool":"lookup"}',
  );
});

proves("CORE-13", "unknown block types, images and extra fields pass untouched; only repeating text is dropped", () => {
  const blocks = [
    { type: "image", data: "AAAA", mimeType: "image/png", _meta: { a: 1 } },
    { type: "hologram", anything: [1, { b: null }] },
    { type: "text", text: "other" },
    { type: "text", text: '{"a":1}', annotations: { priority: 1 } },
  ];
  const { outcome } = shape(JSON.stringify({ content: blocks, structuredContent: { a: 1 }, _meta: { x: 1 } }));
  expect(outcome).toEqual({
    content: blocks.slice(0, 3),
    server_alias: "alpha",
    status: "ok",
    structured_content: { a: 1 },
    tool: "lookup",
  });
  expect(shape('{"content":[{"type":"text","text":"{\\"a\\":1}"}]}').outcome).toMatchObject({ content: [{ type: "text" }] });
  expect(shape("{}").outcome).toEqual({ content: [], server_alias: "alpha", status: "ok", tool: "lookup" });
});

proves("CORE-13", "numbers are compared as they were written, and an integer no double can hold keeps its digits", () => {
  const structured = (number: string, text: string): string =>
    shape(`{"content":[{"type":"text","text":${JSON.stringify(`{"n":${text}}`)}}],"structuredContent":{"n":${number}}}`).text;
  expect(structured("1", "1")).toContain('"content":[],');
  expect(structured("1", "1.0")).toContain('"content":[{');
  expect(structured("1.0", "1.0")).toContain('"content":[],');
  expect(structured("1e3", "1000")).toContain('"content":[{');
  expect(structured("12345678901234567891", "12345678901234567890")).toContain('"content":[{');
  const same = structured("12345678901234567891", "12345678901234567891");
  expect(same).toContain('"content":[],');
  expect(same).toContain('"structured_content":{"n":12345678901234567891}');
});

proves("CORE-14", "a server's error is never checked against its schema, and none of its text is shown", () => {
  const refuse: SchemaCheck = () => [{ pointer: "/a", message: "must be number" }];
  const error = { code: "mcp_remote_error", message: "MCP server reported a tool error" };
  const failed = shape('{"isError":true,"content":[{"type":"text","text":"canary"}],"structuredContent":{"a":"canary"}}', {
    checkResult: refuse,
  });
  expect(failed.outcome).toEqual({ error, server_alias: "alpha", status: "error", tool: "lookup" });
  expect(shape('"canary"').outcome).toMatchObject({ error });
  expect(shape("[1]").outcome).toMatchObject({ error });
  const mismatch = shape('{"content":[],"structuredContent":{"a":"canary"}}', { checkResult: refuse });
  expect(mismatch.outcome).toMatchObject({ error: { code: "result_invalid", issues: [{ pointer: "/a" }] } });
  const missing = shape('{"content":[{"type":"text","text":"canary"}]}', { checkResult: () => [] });
  expect(missing.outcome).toMatchObject({
    error: { code: "result_invalid", issues: [{ pointer: "", message: "the structured content is missing" }] },
  });
  expect(shape('{"content":"canary"}').outcome).toMatchObject({ error: { code: "result_invalid" } });
  for (const { text } of [failed, mismatch, missing]) expect(text).not.toContain("canary");
  // Data fields that happen to be named like parts of the envelope are data.
  expect(
    shape('{"content":[],"structuredContent":{"isError":true,"content":"x"}}', { checkResult: () => [] }).outcome,
  ).toMatchObject({
    structured_content: { isError: true, content: "x" },
  });
});

proves("CORE-14", "a result over the limit says how large it was and how large it may be", () => {
  const { outcome } = shape(`{"content":[{"type":"text","text":"${"x".repeat(2_000)}"}]}`, { maxBytes: 1_024 });
  expect(outcome).toMatchObject({ error: { code: "result_too_large", limit_bytes: 1_024 } });
});

proves("CORE-14", "may_have_run is said only where it is true", () => {
  const lost = (effect: "read" | "write", sent: boolean): Outcome => shapeOutcome({ kind: "lost", sent }, { ...context, effect });
  expect(lost("write", true)).toMatchObject({ error: { code: "mcp_connection_lost", may_have_run: true } });
  expect(canonicalJson([lost("read", true), lost("write", false)])).not.toContain("may_have_run");
});

proves("CORE-14", "the local policy's decision, for every rule and every answer a caller brings", () => {
  const decide = (rule: "allow" | "ask" | "deny" | undefined, decision?: "allow" | "deny"): string =>
    permit(rule, decision === undefined ? undefined : { decision, by: "me" }).kind;
  expect([decide(undefined), decide("allow"), decide("ask"), decide("deny")]).toEqual(["allowed", "allowed", "ask", "denied"]);
  expect([decide(undefined, "allow"), decide("ask", "allow"), decide("deny", "allow")]).toEqual(["allowed", "allowed", "denied"]);
  expect([decide(undefined, "deny"), decide("allow", "deny"), decide("ask", "deny")]).toEqual(["denied", "denied", "denied"]);
  expect(permit("ask", { decision: "allow", by: "me" }).decision).toBe("approved:me");
});
