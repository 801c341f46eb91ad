// What the scripted model says in the demo: a long run for the Chat Completions API, a shorter one for the Responses API. The
// script only asks; what comes of it is found out from what happened.
import { readScript, type Script } from "../models/scripted/script.ts";
import { SUBAGENT, TEAMMATE, toolOf } from "./names.ts";

const call = (tool: string, args: object = {}) => ({ tool, arguments: args });
const lookup = (alias: "demo_alpha" | "demo_beta", query: string) => call(toolOf(alias, "lookup"), { query });
const connect = (alias: string) => call("connect_mcp", { alias });
const disconnect = (alias: string) => call("disconnect_mcp", { alias });

/** A tool that exists by now in the pool, but did not when the model was asked. */
const TOO_EARLY = [connect("demo_alpha"), connect("demo_beta"), lookup("demo_alpha", "early"), lookup("demo_alpha", "early")];

/** Tries by name what its session does not see. */
const TRYING = [
  { text: "I try what I was not offered.", calls: [connect("demo_alpha"), lookup("demo_beta", "needle")] },
  { text: "Both were refused: I only have the reading tools." },
];

export const chatScript = (): Script =>
  readScript({
    agents: {
      lead: [
        { text: "I connect both servers, and try a new tool at once.", calls: TOO_EARLY },
        { text: "Now they are offered.", calls: [lookup("demo_alpha", "needle")] },
        { text: "Both at the same time.", calls: [lookup("demo_alpha", "needle"), lookup("demo_beta", "needle")] },
        { text: "A tool that fails.", calls: [call(toolOf("demo_alpha", "fail"))] },
        {
          text: "I ask others.",
          calls: [
            call("spawn_subagent", { label: SUBAGENT, task: "Find out what you can do." }),
            call("send_message", { to: TEAMMATE, text: "Find out what you can do." }),
          ],
        },
        {
          text: "I give up alpha, and call both once more.",
          calls: [disconnect("demo_alpha"), lookup("demo_alpha", "late"), lookup("demo_beta", "needle")],
        },
        { text: "Alpha again.", calls: [connect("demo_alpha")] },
        { text: "A call that takes too long.", calls: [call(toolOf("demo_alpha", "delay"), { ms: 60_000 })] },
        { text: "Alpha is gone; once more.", calls: [connect("demo_alpha")] },
        { text: "A call in which the server dies.", calls: [call(toolOf("demo_alpha", "terminate"))] },
        { text: "Beta is still there.", calls: [lookup("demo_beta", "needle")] },
        { text: "That was everything." },
        // In case the teammate's answer comes after the last word.
        { text: "My teammate has answered too." },
      ],
      [SUBAGENT]: TRYING,
      [TEAMMATE]: TRYING,
    },
  });

export const responsesScript = (): Script =>
  readScript({
    agents: {
      lead: [
        { text: "I connect both servers, and try a new tool at once.", calls: TOO_EARLY },
        { calls: [lookup("demo_alpha", "needle"), lookup("demo_beta", "needle")] },
        { calls: [disconnect("demo_alpha"), lookup("demo_alpha", "late"), lookup("demo_beta", "needle")] },
        { text: "The same through the Responses API." },
      ],
    },
  });

export const SCRIPTED_PROMPT = "Show what the pool does.";

/** For a real model: leads to the same facts, if it follows. */
export const LIVE_PROMPT = [
  "Show what a pool of MCP servers does. Follow these steps exactly, one reply for each step:",
  "1. In one single reply make four calls: connect_mcp for demo_alpha, connect_mcp for demo_beta, then twice",
  "   mcp__demo_alpha__lookup with the query early. The lookups fail as unknown tools: that is expected.",
  "2. Call mcp__demo_alpha__lookup and mcp__demo_beta__lookup, both with the query needle, in one single reply.",
  "3. Call mcp__demo_alpha__fail.",
  `4. In one single reply call spawn_subagent with the label ${SUBAGENT} and send_message to ${TEAMMATE}; ask each of them to`,
  "   call connect_mcp and mcp__demo_beta__lookup although they are not offered, and to report what happened.",
  "5. In one single reply call disconnect_mcp for demo_alpha, then mcp__demo_alpha__lookup and mcp__demo_beta__lookup.",
  "6. Call connect_mcp for demo_alpha. Then, in the next reply, mcp__demo_alpha__delay with ms 60000.",
  "7. Call connect_mcp for demo_alpha again. Then, in the next reply, mcp__demo_alpha__terminate.",
  "8. Say in one sentence what you saw.",
].join("\n");
