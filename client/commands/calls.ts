// `toolpool calls`: the journal's call records, newest first, refused ones too.
import type { CallRecord } from "../../daemon/contract/index.ts";
import type { Screen } from "../output/screen.ts";
import { duration, localTime } from "../output/times.ts";
import { withPool, type Run } from "./surroundings.ts";

export interface CallsOptions {
  readonly session?: string;
  readonly tool?: string;
  readonly status?: string;
  readonly before?: number;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 20;

export async function calls(run: Run, options: CallsOptions): Promise<void> {
  const query = new URLSearchParams({ limit: String(options.limit ?? DEFAULT_LIMIT) });
  for (const name of ["session", "tool", "status", "before"] as const) {
    const value = options[name];
    if (value !== undefined) query.set(name, String(value));
  }
  await withPool(run, async ({ client }) => {
    const text = await client.getText(`/v1/calls?${query.toString()}`, { signal: run.signal });
    if (run.screen.json) run.screen.jsonText(text);
    else say(run.screen, JSON.parse(text) as readonly CallRecord[]);
  });
}

function say(screen: Screen, records: readonly CallRecord[]): void {
  if (records.length === 0) {
    screen.line("No calls");
    return;
  }
  screen.table(
    [
      { head: "ID", right: true },
      { head: "AT" },
      { head: "SESSION" },
      { head: "VERSION", right: true },
      { head: "TOOL" },
      { head: "EFFECT" },
      { head: "OUTCOME" },
      { head: "TOOK", right: true },
      { head: "DECISION" },
    ],
    records.map((record) => [
      record.id,
      localTime(record.at),
      record.sessionId,
      record.version,
      record.tool,
      record.effect ?? "–",
      { text: outcomeOf(record), paint: record.status === "ok" ? screen.colours.green : screen.colours.red },
      duration(record.durationMs),
      record.decision ?? "–",
    ]),
  );
}

function outcomeOf({ status, code, reason, mayHaveRun }: CallRecord): string {
  const words = code === null ? status : reason === null ? code : `${code} (${reason})`;
  return mayHaveRun && status === "error" ? `${words}, may have run` : words;
}
