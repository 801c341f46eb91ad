// `toolpool versions`, `toolpool diff` and `toolpool watch`: what changed in the registry, step by step, between two versions,
// and as it happens.
import {
  compareCodeUnits,
  type RegistryDiff,
  type RegistrySummary,
  type ToolView,
  type VersionRow,
} from "../../daemon/contract/index.ts";
import type { Screen } from "../output/screen.ts";
import { localTime } from "../output/times.ts";
import { visible } from "../output/visible.ts";
import { cut } from "../output/width.ts";
import { Failure } from "./failure.ts";
import { withPool, type Run } from "./surroundings.ts";

export interface VersionsOptions {
  readonly since?: number;
  readonly limit?: number;
}

export async function versions(run: Run, options: VersionsOptions): Promise<void> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) if (typeof value === "number") query.set(name, String(value));
  await withPool(run, async ({ client }) => {
    const text = await client.getText(`/v1/registry/versions?${query.toString()}`, { signal: run.signal });
    if (run.screen.json) run.screen.jsonText(text);
    else versionTable(run.screen, JSON.parse(text) as readonly VersionRow[]);
  });
}

export function versionTable(screen: Screen, rows: readonly VersionRow[]): void {
  if (rows.length === 0) {
    screen.line("No versions");
    return;
  }
  screen.table(
    [{ head: "VERSION", right: true }, { head: "AT" }, { head: "CAUSE" }, { head: "CHANGE" }, { head: "TOOLS" }],
    rows.map((row) => [row.version, localTime(row.at), row.cause, counts(row), names(row)]),
  );
}

type Change = Pick<VersionRow, "added" | "removed" | "changed">;

function counts({ added, removed, changed }: Change): string {
  const parts = [["+", added.length] as const, ["-", removed.length] as const, ["~", changed.length] as const];
  const told = parts.filter(([, count]) => count > 0).map(([sign, count]) => `${sign}${String(count)}`);
  return told.length === 0 ? "–" : told.join(" ");
}

const names = ({ added, removed, changed }: Change): string => [...added, ...removed, ...changed].join(", ");

export async function diff(run: Run, from: number, to: number): Promise<void> {
  await withPool(run, async ({ client }) => {
    const path = `/v1/registry/diff?from=${String(from)}&to=${String(to)}`;
    const text = await client.getText(path, { signal: run.signal });
    if (run.screen.json) run.screen.jsonText(text);
    else sayDiff(run.screen, JSON.parse(text) as RegistryDiff);
  });
}

function sayDiff(screen: Screen, { from, to, added, removed, changed }: RegistryDiff): void {
  const { colours } = screen;
  if (added.length + removed.length + changed.length === 0) {
    screen.line(`No tool differs between version ${String(from)} and version ${String(to)}`);
    return;
  }
  for (const tool of added) {
    screen.line(colours.green(`+ ${visible(tool.name)}`) + `  ${tool.effect}  ${cut(visible(tool.description), 80)}`);
  }
  for (const name of removed) screen.line(colours.red(`- ${visible(name)}`));
  for (const { name, before, after } of changed) {
    screen.line(colours.yellow(`~ ${visible(name)}`) + `  ${differing(before, after).join(", ")}`);
  }
}

function differing(before: ToolView, after: ToolView): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(compareCodeUnits);
  const member = (view: ToolView, key: string): string => JSON.stringify([new Map(Object.entries(view)).get(key)]);
  return keys.filter((key) => key !== "digest" && member(before, key) !== member(after, key));
}

/** Follows until the daemon closes or the signal aborts. Without `from` it begins with the next version. */
export async function watch(run: Run, from: number | undefined): Promise<void> {
  const { screen, signal } = run;
  await withPool(run, async ({ client }) => {
    let last = from ?? (await client.get<RegistrySummary>("/v1/registry", { signal })).version;
    if (!screen.json) screen.note(`Watching from version ${String(last)}; Ctrl-C ends`);
    for (;;) {
      let again = false;
      for await (const { event, data } of client.watch(last, { signal })) {
        if (event === "closing") {
          if (!screen.json) screen.note("The daemon is closing");
          return;
        }
        const content: unknown = JSON.parse(data);
        if (event === "lagging") {
          // What was missed is read again: the stream goes on from what was last shown.
          again = true;
          break;
        }
        if (event !== "version" || !isRow(content)) continue;
        last = content.version;
        if (screen.json) screen.jsonText(data);
        else
          screen.line(
            `${String(content.version).padStart(5)}  ${localTime(content.at)}  ${visible(content.cause)}  ${counts(content)}  ${visible(names(content))}`,
          );
      }
      if (!again)
        throw new Failure(3, "The daemon ended the stream", {
          reason: "connection_lost",
          next: "Is it still running? toolpool status",
        });
    }
  });
}

const isRow = (content: unknown): content is VersionRow =>
  typeof content === "object" && content !== null && "version" in content && "cause" in content;
