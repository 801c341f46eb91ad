// What went wrong with a server, in plain words with the next step, as lines under its name: what it is now, or what it was the
// last time.
import { CONNECT_FAILURE_MESSAGES, type ConnectFailure, type ServerStatus } from "../../daemon/contract/index.ts";
import { explainConnectFailure } from "../output/connect-failure.ts";
import type { Paint } from "../output/table.ts";
import { ago, roughly } from "../output/times.ts";
import { visible } from "../output/visible.ts";
import { breakLines, cut, holdTogether } from "../output/width.ts";
import type { Look } from "./parts.ts";

interface Trouble {
  readonly says: string;
  readonly found: string;
  readonly next: string | undefined;
  /** It is over: the server works, or nobody wants it to. */
  readonly past: boolean;
}

export interface TroubleLines {
  readonly all: readonly string[];
  /** What happened, and what to do. */
  readonly short: readonly string[];
}

/** Details may be long; all of them are in `toolpool servers <alias>`. */
const MOST_LINES = 3;
const NEXT = "→ ";

export function troubleLines(server: ServerStatus, indent: string, look: Look): TroubleLines {
  const trouble = troubleOf(server, look.now);
  if (trouble === undefined) return { all: [], short: [] };
  const { dim, red, yellow } = look.colours;
  const paint = trouble.past ? dim : server.unreviewed === true || server.state.kind === "pending" ? yellow : red;
  const width = look.width - indent.length;
  const line =
    (colour: Paint) =>
    (text: string): string =>
      indent + colour(text);
  const says = atMost(visible(trouble.says), width).map(line(paint));
  const found = trouble.found === "" ? [] : atMost(visible(trouble.found), width).map(line(trouble.past ? dim : plain));
  const next = trouble.next === undefined ? [] : nextLines(visible(trouble.next), server.alias, width).map(line(plain));
  return { all: [...says, ...found, ...next], short: [...says.slice(0, 1), ...next] };
}

const plain: Paint = (text) => text;

function atMost(text: string, width: number): string[] {
  const lines = breakLines(text, width);
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES - 1), cut(`${lines[MOST_LINES - 1] ?? ""} …`, width)];
}

/** Every line of it is shown, and a command that is to be typed stands in one, where there is room. */
function nextLines(text: string, alias: string, width: number): string[] {
  const command = text.replaceAll(/toolpool [a-z]+/g, (words) => holdTogether(words));
  const held = command.replaceAll(` ${alias}`, holdTogether(` ${alias}`));
  return breakLines(held, width - NEXT.length).map((line, at) => (at === 0 ? NEXT : " ".repeat(NEXT.length)) + line);
}

function troubleOf(server: ServerStatus, now: number): Trouble | undefined {
  const { alias, state, lastFailure, unreviewed } = server;
  switch (state.kind) {
    case "failed": {
      const at = lastFailure?.code === state.failure.code ? `, ${ago(lastFailure.at, now)}` : "";
      if (unreviewed === true) {
        const next = `Look at what it runs and publishes, and decide: toolpool review ${alias}`;
        return { says: "Nobody has reviewed it: it is not started", found: "", next, past: false };
      }
      return told(alias, state.failure, at, false);
    }
    case "pending": {
      const when = `; attempt ${String(state.attempt)} in ${roughly(Math.max(0, Date.parse(state.nextAt) - now))}`;
      return told(alias, state.failure, when, false);
    }
    case "needs_auth": {
      const { next } = explainConnectFailure(alias, "needs_auth", undefined);
      return { says: CONNECT_FAILURE_MESSAGES.needs_auth, found: state.url ?? "", next, past: false };
    }
    case "connected":
      if (lastFailure === undefined) return undefined;
      return { ...told(alias, lastFailure, `, ${ago(lastFailure.at, now)}`, true), next: undefined };
    case "idle":
    case "connecting":
    case "closing":
      return lastFailure && told(alias, lastFailure, `, ${ago(lastFailure.at, now)}`, true);
    case "disabled":
      return undefined;
  }
}

function told(alias: string, { code, message, details }: ConnectFailure, more: string, past: boolean): Trouble {
  const { lines, next } = explainConnectFailure(alias, code, details);
  const says = `${past ? "Last failure: " : ""}${message} (${code})${more}`;
  return { says, found: lines.join("; "), next, past };
}
