// What a server's state looks like: a sign that says it alone (colours may be off), a word, a colour, and how much it wants to be
// seen when there is no room for all.
import { assertNever, type ServerStatus } from "../../daemon/contract/index.ts";
import type { Colours } from "../output/colours.ts";
import type { Paint } from "../output/table.ts";

export interface StateLook {
  readonly sign: string;
  readonly word: string;
  readonly paint: Paint;
  /** 0 is shown first. */
  readonly rank: number;
}

/** From this rank on a server is as somebody wants it. */
export const WELL = 3;
/** From this rank on nobody uses a server. */
export const UNUSED = 4;

export function lookOf({ state, unreviewed }: ServerStatus, { green, red, yellow, dim }: Colours): StateLook {
  if (unreviewed === true) return { sign: "?", word: "unreviewed", paint: yellow, rank: 0 };
  switch (state.kind) {
    case "failed":
      return { sign: "✗", word: "failed", paint: red, rank: 0 };
    case "needs_auth":
      return { sign: "!", word: "needs login", paint: red, rank: 0 };
    case "pending":
      return { sign: "↻", word: "pending", paint: yellow, rank: 1 };
    case "connecting":
      return { sign: "◐", word: "connecting", paint: yellow, rank: 2 };
    case "closing":
      return { sign: "◌", word: "closing", paint: yellow, rank: 2 };
    case "connected":
      return { sign: "●", word: "connected", paint: green, rank: 3 };
    case "idle":
      return { sign: "○", word: "idle", paint: dim, rank: 4 };
    case "disabled":
      return { sign: "–", word: "disabled", paint: dim, rank: 5 };
    default:
      return assertNever(state);
  }
}
