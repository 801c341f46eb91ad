// What is read out of the program's JSON and of the configuration: missing members are empty, never an exception, so that the
// expectation that follows says what came instead.
import { parse } from "jsonc-parser";
import { isJsonObject, type JsonObject } from "../../daemon/contract/index.ts";

export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

export const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

export function objectIn(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

export const entriesIn = (config: string): JsonObject => objectOf(objectOf(parse(config) as unknown).mcpServers);

/** All entries but one, as one text to compare. */
export const entriesWithout = (config: string, alias: string): string =>
  JSON.stringify(Object.entries(entriesIn(config)).filter(([name]) => name !== alias));
