// From what was found to what may be added: launches that are the same are one candidate that knows all its places, each has the
// alias its name gives, and stands against what is configured already. Pure; nothing is renamed to make it fit.
import { aliasFor } from "../../config/alias.ts";
import { canonicalJson } from "../../daemon/contract/index.ts";
import type { FoundLaunch, FoundServer } from "./found.ts";
import { sameLaunch } from "./same-launch.ts";

export type Place = Pick<FoundServer, "host" | "scope" | "file" | "line" | "name">;

interface Common {
  /** Its name in the first place. */
  readonly name: string;
  readonly places: readonly [Place, ...Place[]];
  readonly remarks: readonly string[];
}

/** One that can be added, or is there. */
export interface Launchable extends Common {
  readonly kind: "stdio";
  readonly launch: FoundLaunch;
  readonly variables: readonly string[];
  /** Undefined: nothing of the name can be an alias. */
  readonly alias: string | undefined;
  /** Turned off in every place. */
  readonly disabled: boolean;
  /** The alias under which it is configured already. */
  readonly present: string | undefined;
}

/** One that cannot. */
export type Unaddable = Common &
  (
    | { readonly kind: "remote"; readonly type: string; readonly url: string }
    | { readonly kind: "unusable"; readonly problem: string }
  );

export type Candidate = Launchable | Unaddable;

export type Configured = ReadonlyMap<string, FoundLaunch | undefined>;

/** In the order of `found`. */
export function candidatesOf(found: readonly FoundServer[], configured: Configured): readonly Candidate[] {
  const groups = new Map<string, [FoundServer, ...FoundServer[]]>();
  for (const server of found) {
    const key = identityOf(server);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [server]);
    else group.push(server);
  }
  return [...groups.values()].map((group) => candidateOf(group, configured));
}

function identityOf(server: FoundServer): string {
  switch (server.kind) {
    case "stdio":
      return canonicalJson({ ...server.launch });
    case "remote":
      return canonicalJson({ url: server.url });
    case "unusable":
      return canonicalJson({ file: server.file, line: server.line, name: server.name });
  }
}

function candidateOf(group: readonly [FoundServer, ...FoundServer[]], configured: Configured): Candidate {
  const [first, ...more] = group;
  const common = {
    name: first.name,
    places: [placeOf(first), ...more.map(placeOf)] as const,
    remarks: [...new Set(group.flatMap(({ remarks }) => remarks))],
  };
  switch (first.kind) {
    case "remote":
      return { ...common, kind: "remote", type: first.type, url: first.url };
    case "unusable":
      return { ...common, kind: "unusable", problem: first.problem };
    case "stdio": {
      const present = [...configured].find(([, launch]) => launch !== undefined && sameLaunch(first.launch, launch))?.[0];
      const { launch, variables } = first;
      const disabled = group.every((server) => server.disabled);
      return { ...common, kind: "stdio", launch, variables, alias: aliasFor(first.name), disabled, present };
    }
  }
}

const placeOf = ({ host, scope, file, line, name }: FoundServer): Place => ({ host, scope, file, line, name });

/** How a person may call a candidate: `memory`, `cursor:memory`, `cursor/project:memory`. */
export function referencesTo({ places }: Candidate): readonly string[] {
  return [...new Set(places.flatMap(({ host, scope, name }) => [name, `${host}:${name}`, `${host}/${scope}:${name}`]))];
}

/** The shortest reference that leads to this candidate alone; undefined where none does (twice in one file, say). */
export function ownReference(candidate: Candidate, all: readonly Candidate[]): string | undefined {
  const others = new Set(all.filter((other) => other !== candidate).flatMap(referencesTo));
  return referencesTo(candidate)
    .filter((reference) => !others.has(reference))
    .toSorted((a, b) => a.length - b.length)[0];
}

export type Clash =
  | { readonly kind: "configured"; readonly candidate: Launchable; readonly alias: string }
  | { readonly kind: "twice"; readonly candidate: Launchable; readonly alias: string; readonly first: Launchable }
  | { readonly kind: "nameless"; readonly candidate: Launchable };

/** What keeps these from being added together. Of several with one alias the first is none. */
export function clashesAmong(chosen: readonly Launchable[], configured: Configured): readonly Clash[] {
  const taken = new Map<string, Launchable>();
  return chosen.flatMap((candidate): Clash[] => {
    const { alias } = candidate;
    if (alias === undefined) return [{ kind: "nameless", candidate }];
    if (configured.has(alias)) return [{ kind: "configured", candidate, alias }];
    const first = taken.get(alias);
    if (first !== undefined) return [{ kind: "twice", candidate, alias, first }];
    taken.set(alias, candidate);
    return [];
  });
}
