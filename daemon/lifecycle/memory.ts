// How much room the engine takes for garbage. The daemon's live data is small and lasts, its garbage is short-lived: left alone,
// V8 lets the heap grow to several times what lives in it, which counts on a workstation more than the few collections it saves.
import { setFlagsFromString } from "node:v8";

/** Old objects: collect when the heap has grown by so much beyond what lived at the last collection (percent). */
const GROWTH_PERCENT = 60;

/** At the very start. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${String(GROWTH_PERCENT)}`);
}
