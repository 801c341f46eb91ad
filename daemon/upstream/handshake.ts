// The answer to `initialize`, reduced to what we use. Servers declare odd capabilities; none of them decides anything here, so none
// of them may fail a connect. A version that is missing or no text stays missing: then the SDK refuses the handshake.
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import type { Answer } from "./messages.ts";
import { UpstreamError } from "./port.ts";

/** Names and versions are shown to people: longer ones are cut. */
const LONGEST = 200;

/** For the SDK's own schema. What is no object becomes one that the schema refuses. */
export function initializeResult(value: unknown): Readonly<Record<string, unknown>> {
  const result = record(value);
  const serverInfo = record(result.serverInfo);
  const capabilities = record(result.capabilities);
  return {
    protocolVersion: result.protocolVersion,
    capabilities: capabilities.tools === undefined || capabilities.tools === null ? {} : { tools: {} },
    serverInfo: { name: shown(serverInfo.name), version: shown(serverInfo.version) },
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function shown(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LONGEST) : "";
}

/** Why an answer to `initialize` could not be used; undefined: there was none. */
export function handshakeFailed(answer: Answer | undefined): UpstreamError {
  const failed = (rule: string, sentence: string): UpstreamError => new UpstreamError("handshake_failed", sentence, { rule });
  switch (answer?.kind) {
    case undefined:
      return failed("no_answer", "The server did not answer initialize");
    case "remote_error":
      return failed("error_answer", "The server answered initialize with an error");
    case "too_large":
      return failed("too_large", "The answer to initialize is longer than a message may be");
    case "result": {
      const version = record(answer.raw.value).protocolVersion;
      if (typeof version !== "string") return failed("not_an_answer", "The answer to initialize is none");
      if (!SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
        return failed("protocol_version", "The server speaks no version of the protocol that is supported here");
      }
      return failed("not_an_answer", "The answer to initialize is none");
    }
  }
}
