// What a starting daemon tells the program that started it, once, over the IPC channel; then it disconnects.
import type { Discovery } from "./methods.ts";

/** The `code` of a daemon that found another one on its state folder: its starter waits for that one and uses it. */
export const START_LOCKED = "locked";

export type StartReport =
  | { readonly ready: Discovery }
  | {
      readonly failed: {
        /** 2 for usage and configuration, else 1. */
        readonly exitCode: number;
        readonly code: string;
        /** For the person: what is wrong, and what to do. May have several lines. */
        readonly message: string;
      };
    };
