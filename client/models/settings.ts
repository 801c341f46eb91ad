// The model's settings from the environment (CONTRACT section 6). Everything missing or wrong is reported at once, one line
// each, before anything is started. A scripted model needs its file and nothing else.
import { resolve } from "node:path";
import { readScriptFile, ScriptInvalid, type Script } from "./scripted/script.ts";

export type Api = "chat" | "responses";

export type ModelSettings =
  | { readonly kind: "provider"; readonly apiKey: string; readonly baseUrl: string; readonly model: string; readonly api: Api }
  | { readonly kind: "scripted"; readonly file: string; readonly script: Script; readonly api: Api };

export type SettingsReading =
  | { readonly kind: "complete"; readonly settings: ModelSettings }
  /** One line each. */
  | { readonly kind: "incomplete"; readonly problems: readonly string[] };

const SCRIPTED = "scripted:";
const MEANING = {
  OPENAI_API_KEY: "the provider's key",
  OPENAI_BASE_URL: "the provider's address, e.g. https://api.openai.com/v1",
  OPENAI_MODEL: "the model's name, or scripted:<file.json>",
  OPENAI_API: "chat or responses",
} as const;
type SettingName = keyof typeof MEANING;

/** `cwd` is what a relative script file is relative to. */
export function readModelSettings(env: NodeJS.ProcessEnv, cwd: string): SettingsReading {
  const problems: string[] = [];
  const wanted = (name: SettingName): string => {
    const value = env[name]?.trim() ?? "";
    if (value === "") problems.push(`${name} is not set (${MEANING[name]})`);
    return value;
  };
  const scripted = env.OPENAI_MODEL?.trim().startsWith(SCRIPTED) === true;
  const apiKey = scripted ? "" : wanted("OPENAI_API_KEY");
  const baseUrl = scripted ? "" : wanted("OPENAI_BASE_URL");
  const model = wanted("OPENAI_MODEL");
  const apiText = scripted && (env.OPENAI_API ?? "") === "" ? "chat" : wanted("OPENAI_API");
  const api = apiText === "chat" || apiText === "responses" ? apiText : undefined;
  if (api === undefined && apiText !== "") problems.push(`OPENAI_API must be chat or responses, not "${apiText}"`);
  if (baseUrl !== "" && !isHttpUrl(baseUrl)) problems.push(`OPENAI_BASE_URL is no http(s) address: "${baseUrl}"`);
  const settings = scripted
    ? scriptedSettings(resolve(cwd, model.slice(SCRIPTED.length)), api ?? "chat", problems)
    : ({ kind: "provider", apiKey, baseUrl, model, api: api ?? "chat" } as const);
  return problems.length > 0 || settings === undefined ? { kind: "incomplete", problems } : { kind: "complete", settings };
}

function scriptedSettings(file: string, api: Api, problems: string[]): ModelSettings | undefined {
  try {
    return { kind: "scripted", file, script: readScriptFile(file), api };
  } catch (error) {
    if (!(error instanceof ScriptInvalid)) throw error;
    problems.push(...error.problems.map((problem) => `OPENAI_MODEL: ${problem}`));
    return undefined;
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
