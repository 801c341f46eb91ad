// What of a tool's definition is no longer as it was reviewed: places, never texts, as they come from the server.
import { canonicalJson, isJsonObject, type Issue, type JsonObject, type JsonValue } from "../contract/index.ts";
import { joinPointer } from "./json-pointer.ts";

const MAX_PLACES = 10;

/** At most MAX_PLACES, the deepest that differ. Never empty: what differs without a place is the whole tool. */
export function driftPlaces(reviewed: JsonObject, published: JsonObject): readonly Issue[] {
  const places: Issue[] = [];
  compare(reviewed, published, "", places);
  if (places.length === 0) return [{ pointer: "", message: "differs from what was reviewed" }];
  if (places.length <= MAX_PLACES) return places;
  const more = { pointer: "", message: `and ${places.length - MAX_PLACES} more places differ from what was reviewed` };
  return [...places.slice(0, MAX_PLACES), more];
}

// The depth of both is bounded: the one was admitted or is bounded-json.ts's copy, the other was read from a bounded file.
function compare(before: JsonValue | undefined, after: JsonValue | undefined, pointer: string, places: Issue[]): void {
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(memberOf(before, key), memberOf(after, key), joinPointer(pointer, key), places);
  } else if (before === undefined) {
    places.push({ pointer, message: "was not there when it was reviewed" });
  } else if (after === undefined) {
    places.push({ pointer, message: "was there when it was reviewed" });
  } else if (canonicalJson(before) !== canonicalJson(after)) {
    places.push({ pointer, message: "differs from what was reviewed" });
  }
}

const memberOf = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
