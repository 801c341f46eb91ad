// JSON-RPC as a test speaks it: requests, and the answers read back.
import { expect } from "vitest";
import type { Running } from "./daemon.ts";
import { VERSION } from "./fake-ports.ts";

export interface Answer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: Readonly<Record<string, unknown>> };
}

export async function one(daemon: Running, body: unknown): Promise<Answer> {
  const { status, text } = await daemon.rpc(body);
  expect(status).toBe(200);
  return JSON.parse(text) as Answer;
}

export async function many(daemon: Running, body: unknown): Promise<readonly Answer[]> {
  return (await one(daemon, body)) as unknown as readonly Answer[];
}

export const reasonOf = (answer: Answer | undefined): unknown => answer?.error?.data.reason;
export const request = (id: unknown, method: string, params?: unknown): object => ({ jsonrpc: "2.0", id, method, params });
export const call = (id: unknown, name: string, more: object = {}): object =>
  request(id, "tools.call", { sessionId: "s1", version: VERSION, name, ...more });
