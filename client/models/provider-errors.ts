// What went wrong at the provider, in one sentence a person can act on. Decided by status and class, never by a message; the
// provider's own words are quoted in one line, and the key never is.
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { visible } from "../output/visible.ts";
import { ModelFailure } from "./model.ts";

export interface Provider {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
}

const QUOTE_LENGTH = 300;

/** Any error of the `openai` package. An error that is not the provider's passes as it is. */
export function explainProviderError(error: unknown, provider: Provider): unknown {
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelFailure("network", `The model provider at ${provider.baseUrl} did not answer in time`, error);
  }
  if (error instanceof APIConnectionError) {
    const message = `The model provider at ${provider.baseUrl} could not be reached${systemCode(error)}`;
    return new ModelFailure("network", `${message}; check OPENAI_BASE_URL and the network`, error);
  }
  if (error instanceof APIError) return statusFailure(error as ProviderError, provider);
  if (isNetworkFault(error)) {
    return new ModelFailure("broken_off", `The model's answer broke off${systemCode(error)}`, error);
  }
  return error;
}

/** The package leaves its type parameters open to `any`. */
type ProviderError = APIError<number | undefined, Headers | undefined, object | undefined>;

function statusFailure(error: ProviderError, provider: Provider): ModelFailure {
  const { status } = error;
  const said = quote(error, provider.apiKey);
  switch (status) {
    case 401:
    case 403:
      return new ModelFailure(
        "auth",
        `The model provider refused the key (HTTP ${String(status)})${said}; check OPENAI_API_KEY`,
        error,
      );
    case 404:
      return new ModelFailure(
        "not_found",
        `The model provider knows no model "${provider.model}" at ${provider.baseUrl} (HTTP 404)${said}; check OPENAI_MODEL, OPENAI_BASE_URL and OPENAI_API`,
        error,
      );
    case 429:
      return new ModelFailure("rate", `The model provider's limit is used up (HTTP 429)${said}; try again later`, error);
    case undefined:
      // An error that came inside a stream: its code is all there is.
      return streamFailure(error.code, said, error);
    default:
      return status >= 500
        ? new ModelFailure("provider", `The model provider has a fault (HTTP ${String(status)})${said}; try again later`, error)
        : new ModelFailure("rejected", `The model provider rejected the request (HTTP ${String(status)})${said}`, error);
  }
}

/** An error event inside a stream, or a `failed` response. */
export function streamFailure(code: string | null | undefined, said: string, cause?: unknown): ModelFailure {
  if (code === "rate_limit_exceeded" || code === "insufficient_quota") {
    return new ModelFailure("rate", `The model provider's limit is used up${said}; try again later`, cause);
  }
  if (code === "invalid_prompt" || code === "context_length_exceeded") {
    return new ModelFailure("rejected", `The model provider rejected the request${said}`, cause);
  }
  return new ModelFailure("provider", `The model provider reported an error in the middle of its answer${said}`, cause);
}

/** `: "…"`, or nothing. */
export function quoted(text: string | null | undefined, apiKey: string): string {
  if (text === null || text === undefined || text === "") return "";
  const safe = apiKey.length < 8 ? text : text.replaceAll(apiKey, "***");
  return `: "${visible(safe).slice(0, QUOTE_LENGTH)}"`;
}

function quote(error: ProviderError, apiKey: string): string {
  const body = error.error;
  const said = body !== undefined && "message" in body ? body.message : undefined;
  return quoted(typeof said === "string" ? said : undefined, apiKey);
}

function isNetworkFault(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error;
}

function systemCode(error: unknown): string {
  for (let at: unknown = error, hops = 0; at instanceof Error && hops < 5; at = at.cause, hops++) {
    if ("code" in at && typeof at.code === "string") return ` (${at.code})`;
  }
  return "";
}
