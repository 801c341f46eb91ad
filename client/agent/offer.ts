// The tools of one model request: the agent's own ones and one snapshot of its session's view, projected for the provider. What
// a name of the reply means is looked up here and nowhere else, so all calls of a reply mean the tools of its request.
import type { SessionSnapshot, ToolView } from "../../daemon/contract/index.ts";
import type { OfferedTool } from "../models/model.ts";
import { projectTools, type Projection } from "../models/projection.ts";
import type { BuiltInTool } from "../tools/built-in.ts";
import type { PoolSession } from "./pool-session.ts";

export type Named =
  | { readonly kind: "built_in"; readonly tool: BuiltInTool }
  | { readonly kind: "pool"; readonly view: ToolView }
  /** It exists, but this request could not show it. */
  | { readonly kind: "left_out"; readonly why: string }
  | { readonly kind: "unknown" };

export interface Offer {
  readonly version: number;
  readonly digest: string;
  readonly projection: Projection;
  readonly poolTools: readonly string[];
  readonly builtIns: readonly string[];
  named(name: string): Named;
}

/** Asks for the snapshot once a request; an unchanged one is neither sent nor projected again. */
export class Offering {
  readonly #session: PoolSession;
  readonly #builtIns: ReadonlyMap<string, BuiltInTool>;
  #last: Offer | undefined;

  constructor(session: PoolSession, builtIns: readonly BuiltInTool[]) {
    this.#session = session;
    this.#builtIns = new Map(builtIns.map((tool) => [tool.name, tool]));
  }

  async next(signal: AbortSignal): Promise<Offer> {
    const known = this.#last === undefined ? {} : { ifDigest: this.#last.digest };
    const params = { sessionId: this.#session.id, ...known };
    const snapshot: SessionSnapshot = await this.#session.pool.request("registry.snapshot", params, { signal });
    const unchanged = "notModified" in snapshot ? this.#last : undefined;
    this.#last =
      unchanged === undefined
        ? this.#offer(snapshot.version, snapshot.digest, "tools" in snapshot ? snapshot.tools : [])
        : { ...unchanged, version: snapshot.version };
    return this.#last;
  }

  #offer(version: number, digest: string, views: readonly ToolView[]): Offer {
    // Built-in names are ours: a pool tool never takes one (it begins with mcp__, or is a management tool).
    const pool = new Map(views.filter(({ name }) => !this.#builtIns.has(name)).map((view) => [view.name, view]));
    const projection = projectTools([...[...this.#builtIns.values()].map(asOffered), ...[...pool.values()].map(viewAsOffered)]);
    const leftOut = new Map(projection.leftOut.map(({ name, note }) => [name, note]));
    const named = (name: string): Named => {
      const why = leftOut.get(name);
      if (why !== undefined) return { kind: "left_out", why };
      const builtIn = this.#builtIns.get(name);
      if (builtIn !== undefined) return { kind: "built_in", tool: builtIn };
      const view = pool.get(name);
      return view === undefined ? { kind: "unknown" } : { kind: "pool", view };
    };
    const shown = projection.tools.map(({ name }) => name);
    const poolTools = shown.filter((name) => pool.has(name));
    const builtIns = shown.filter((name) => this.#builtIns.has(name));
    return { version, digest, projection, poolTools, builtIns, named };
  }
}

const asOffered = ({ name, description, parameters }: BuiltInTool): OfferedTool => ({ name, description, parameters });
const viewAsOffered = ({ name, description, inputSchema }: ToolView): OfferedTool => ({
  name,
  description,
  parameters: inputSchema,
});
