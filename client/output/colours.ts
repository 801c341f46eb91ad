// Colours of a stream: for people at a terminal, and for nobody else. NO_COLOR and TERM=dumb turn them off, FORCE_COLOR on.
import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

const set = (value: string | undefined): boolean => value !== undefined && value !== "";

export function coloursFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Colours {
  if (set(env.NO_COLOR)) return pc.createColors(false);
  if (set(env.FORCE_COLOR)) return pc.createColors(env.FORCE_COLOR !== "0");
  return pc.createColors(stream.isTTY === true && env.TERM !== "dumb");
}
