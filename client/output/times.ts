// Durations and points in time, for people.

/** `12 ms`, `1.2 s`, `3 min 20 s`, `5 h 10 min`, `2 d 4 h`; a dash when there is none. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 10) return `${String(Math.round(ms * 10) / 10)} ms`;
  if (ms < 1_000) return `${String(Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${String(Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < 3_600) return pair(whole, 60, "min", 1, "s");
  if (whole < 86_400) return pair(whole, 3_600, "h", 60, "min");
  return pair(whole, 86_400, "d", 3_600, "h");
}

function pair(seconds: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % big) / small);
  return `${String(Math.floor(seconds / big))} ${bigName}${rest === 0 ? "" : ` ${String(rest)} ${smallName}`}`;
}

/** How long ago an ISO 8601 time was. */
export function since(iso: string, now = Date.now()): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? "?" : duration(Math.max(0, now - at));
}

/** A duration in one unit: `7 s`, `3 min`, `5 h`, `2 d`. For pages that are looked at again and again. */
export function roughly(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${String(seconds)} s`;
  if (seconds < 3_600) return `${String(Math.floor(seconds / 60))} min`;
  return seconds < 86_400 ? `${String(Math.floor(seconds / 3_600))} h` : `${String(Math.floor(seconds / 86_400))} d`;
}

/** `just now`, `3 min ago`. A time that is not over yet (two clocks differ) is now. */
export function ago(iso: string, now: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return "?";
  return now - at < 1_000 ? "just now" : `${roughly(now - at)} ago`;
}

/** An ISO 8601 time in the machine's own zone: `2026-01-31 14:05:09`. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${String(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
