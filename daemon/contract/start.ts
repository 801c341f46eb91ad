// What a starting daemon tells the program that started it, once, over the IPC channel; then it disconnects.
import type { Discovery } from "./methods.ts";

/** `already_running`: another daemon holds this state folder's lock; the starter waits for that one and uses it. */
export type StartFailureCode = "already_running" | "config_invalid" | "port_in_use" | "state_unusable" | "fault";

export type StartReport =
  | { readonly ready: Discovery }
  | {
      readonly failed: {
        /** As of CONTRACT section 6: 2 configuration, 3 anything else that prevents a start. */
        readonly exitCode: number;
        readonly code: StartFailureCode;
        /** For the person: what is wrong, and what to do. May have several lines. */
        readonly message: string;
      };
    };
