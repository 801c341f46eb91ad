// Admission: decides over a whole list of published tools, and gives either all exposed tools or all refusals. Nothing is exposed
// unless there is no refusal. Effects come from the policy alone; annotations, titles and `_meta` of the server are never passed on.
// Pure, apart from giving the event loop a turn between tools.
import {
  canonicalJson,
  compareCodeUnits,
  deepFreeze,
  type Effect,
  type JsonObject,
  type ToolPolicy,
  type ToolView,
} from "../contract/index.ts";
import { sha256 } from "../registry/toolset.ts";
import type { ExposedTool } from "../registry/types.ts";
import type { AdmittedSchema } from "./admitted-schemas.ts";
import { driftPlaces } from "./drift.ts";
import { MAX_NOTES, TOOLSET_LIMITS } from "./limits.ts";
import { exposureName } from "./names.ts";
import { pinOf } from "./pins.ts";
import { memberOf, readPublished, type NamedEntry } from "./published.ts";
import { Refusals } from "./refusals.ts";
import { SchemaJudge, type Judgement } from "./schema-judge.ts";
import type { Admission, AdmissionInput, Note } from "./types.ts";
import { visibleText } from "./visible-text.ts";

/** Work between two turns of the event loop, in milliseconds; one tool is never cut. */
const TURN_MS = 5;

/** Rejects with the signal's reason when it is aborted, and never otherwise. */
export async function admit(input: AdmissionInput, options: { readonly signal?: AbortSignal } = {}): Promise<Admission> {
  const turn = new Turn(options.signal);
  const batch = new Batch(input);
  for (const entry of batch.candidates()) {
    batch.judge(entry);
    await turn.end();
  }
  return batch.decide();
}

/** A tool that may be exposed with a policy that says so. */
interface Candidate extends NamedEntry {
  readonly policy: ToolPolicy & { readonly effect: Effect };
}

/** A schema that was admitted, and its canonical JSON. */
type Shown = Extract<Judgement, { kind: "admitted" }>;

/** A tool that was judged and not refused. */
interface Draft extends Candidate {
  readonly exposed: string;
  readonly description: string;
  readonly input: Shown;
  readonly output: Shown | undefined;
}

class Batch {
  readonly #input: AdmissionInput;
  readonly #judge = new SchemaJudge();
  readonly #refusals = new Refusals();
  readonly #drafts: Draft[] = [];
  readonly #notes: Note[] = [];
  /** Exposed name → the server's own names that give it. */
  readonly #originals = new Map<string, string[]>();
  #schemaBytes = 0;

  constructor(input: AdmissionInput) {
    this.#input = input;
  }

  /** Settles what concerns the list as a whole; gives the tools to be judged one by one. */
  candidates(): readonly Candidate[] {
    const { published, policy } = this.#input;
    const list = readPublished(published);
    for (const { index, message } of list.unnamed)
      this.#refusals.add("name_rejected", `#${index}`, { pointer: "/name", message });
    for (const [name, places] of list.repeated)
      this.#refusals.add("repeated", name, { pointer: "/name", message: `the list holds this name ${places.length} times` });
    const candidates: Candidate[] = [];
    for (const entry of list.named.values()) {
      const rule = policy.get(entry.name);
      if (rule === undefined) this.#refusals.unreviewed(entry.name);
      else if (isExposed(rule)) candidates.push({ ...entry, policy: rule });
    }
    for (const name of policy.keys()) if (!list.named.has(name)) this.#refusals.missing(name);
    return candidates;
  }

  judge(candidate: Candidate): void {
    const exposed = this.#name(candidate);
    const description = this.#description(candidate);
    const input = this.#inputSchema(candidate);
    const output = this.#outputSchema(candidate);
    this.#pin(candidate);
    if (exposed !== undefined && description !== undefined && input !== undefined)
      this.#drafts.push({ ...candidate, exposed, description, input, output });
  }

  decide(): Admission {
    for (const [exposed, originals] of this.#originals) {
      if (originals.length === 1) continue;
      const message = `${listed(originals)} would all be "${exposed}": give all but one another name with "as" in the policy`;
      for (const original of originals) this.#refusals.add("name_collision", original, { pointer: "/name", message });
    }
    if (!this.#refusals.isEmpty) return { kind: "refused", failure: this.#refusals.failure(), refusals: this.#refusals.all() };
    const { alias, connectionId } = this.#input;
    const tools = this.#drafts
      .sort((a, b) => compareCodeUnits(a.exposed, b.exposed))
      .map((draft) => expose(draft, alias, connectionId));
    const digest = sha256(tools.map((tool) => tool.view.digest).join("\n"));
    return { kind: "admitted", tools: Object.freeze(tools), digest, notes: Object.freeze(this.#notes) };
  }

  #name({ name, policy }: Candidate): string | undefined {
    const result = exposureName(this.#input.alias, name, policy.as);
    if (result.kind === "rejected") {
      this.#refusals.add("name_rejected", name, { pointer: "/name", message: result.message });
      return undefined;
    }
    const others = this.#originals.get(result.name);
    if (others === undefined) this.#originals.set(result.name, [name]);
    else others.push(name);
    return result.name;
  }

  #description({ name, entry }: Candidate): string | undefined {
    const description = memberOf(entry, "description") ?? "";
    const wrong =
      typeof description !== "string" || memberOf(entry, "description") === null
        ? "is not a string"
        : description.length > TOOLSET_LIMITS.descriptionLength
          ? `is longer than ${TOOLSET_LIMITS.descriptionLength} characters`
          : undefined;
    if (wrong === undefined && typeof description === "string") return description;
    this.#refusals.add("schema_rejected", name, { pointer: "/description", message: wrong ?? "is not a string" });
    return undefined;
  }

  #inputSchema({ name, entry }: Candidate): Shown | undefined {
    const published = memberOf(entry, "inputSchema");
    if (published === undefined) {
      this.#refusals.add("schema_rejected", name, { pointer: "/inputSchema", message: "is missing" });
      return undefined;
    }
    const judgement = this.#judge.judge(published, { objects: true });
    if (judgement.kind === "refused") {
      for (const { pointer, message } of judgement.issues)
        this.#refusals.add("schema_rejected", name, { pointer: `/inputSchema${pointer}`, message });
      return undefined;
    }
    if (!this.#hasRoom(judgement.admitted)) {
      const message = `the schemas of this list are larger than ${TOOLSET_LIMITS.schemaBytes} bytes together`;
      this.#refusals.add("schema_rejected", name, { pointer: "/inputSchema", message });
      return undefined;
    }
    this.#noteAll(name, "/inputSchema", judgement.admitted);
    return judgement;
  }

  /** A bad one never refuses its tool: it is dropped, from the view too, and results go unchecked. */
  #outputSchema({ name, entry }: Candidate): Shown | undefined {
    const published = memberOf(entry, "outputSchema");
    if (published === undefined) return undefined;
    const judgement = this.#judge.judge(published, { objects: false });
    if (judgement.kind === "refused" || !this.#hasRoom(judgement.admitted)) {
      const [issue] =
        judgement.kind === "refused" ? judgement.issues : [{ pointer: "", message: "is too large beside the others" }];
      this.#note(name, `/outputSchema${issue?.pointer ?? ""}`, `dropped, results are not checked: ${issue?.message ?? ""}`);
      return undefined;
    }
    this.#noteAll(name, "/outputSchema", judgement.admitted);
    return judgement;
  }

  #pin({ name, entry }: Candidate): void {
    const pins = this.#input.pins?.tools;
    if (pins === undefined) return;
    const pinned = pins.get(name);
    if (pinned === undefined) {
      this.#refusals.add("definition_drift", name, { pointer: "", message: "has not been reviewed: no pin" });
      return;
    }
    const { digest, definition } = pinOf(entry);
    if (pinned.digest === digest) return;
    // Our own canonical text: it parses, and it is an object.
    const published = JSON.parse(definition) as JsonObject;
    for (const place of driftPlaces(pinned.definition, published)) this.#refusals.add("definition_drift", name, place);
  }

  #hasRoom({ bytes }: AdmittedSchema): boolean {
    this.#schemaBytes += bytes;
    return this.#schemaBytes <= TOOLSET_LIMITS.schemaBytes;
  }

  #noteAll(tool: string, base: string, { notes }: AdmittedSchema): void {
    for (const { pointer, message } of notes) this.#note(tool, base + pointer, message);
  }

  #note(tool: string, pointer: string, message: string): void {
    if (this.#notes.length < MAX_NOTES)
      this.#notes.push(Object.freeze({ tool: visibleText(tool), pointer: visibleText(pointer, 1_024), message }));
  }
}

function isExposed(policy: ToolPolicy): policy is ToolPolicy & { readonly effect: Effect } {
  return policy.effect !== "hidden";
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${visibleText(name)}"`);
  return names.length > shown.length ? `${shown.join(", ")} and ${names.length - shown.length} more` : shown.join(" and ");
}

function expose(draft: Draft, alias: string, connectionId: string): ExposedTool {
  const { exposed: name, description, input, output, policy, name: tool } = draft;
  const { effect } = policy;
  const source = { kind: "mcp", alias, tool, connectionId } as const;
  // The texts below are canonical JSON put together from parts that are known already; keys in code-unit order.
  const head = `{"description":${canonicalJson(description)}`;
  const outputPart = output === undefined ? "" : `,"outputSchema":${output.text}`;
  const rest = `"effect":"${effect}","inputSchema":${input.text},"name":${canonicalJson(name)}${outputPart}`;
  const digest = sha256(`${head},${rest}}`);
  const view: ToolView = deepFreeze({
    name,
    description,
    inputSchema: input.admitted.schema,
    ...(output === undefined ? {} : { outputSchema: output.admitted.schema }),
    effect,
    source,
    digest,
  });
  return Object.freeze({
    view,
    json: `${head},"digest":"${digest}",${rest},"source":${canonicalJson(source)}}`,
    approval: policy.approval,
    timeoutMs: policy.timeoutMs,
    concurrent: policy.concurrent ?? effect === "read",
    checkArguments: input.admitted.check,
    checkResult: output?.admitted.check,
  });
}

/** Gives the event loop a turn when enough work was done. */
class Turn {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.throwIfAborted();
  }

  async end(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}
