// Secrets that stand inline become variables: one of the environment keeps its own name, one in an argument is named after the
// server and its flag. Two secrets never share a name. Pure; the names are for showing, the secrets are not.
import { replaceParts, secretsInArgs, secretsInVariable, type SecretPart } from "../../config/secrets.ts";
import type { FoundLaunch } from "./found.ts";
import { variableName } from "./variables.ts";

export interface Named {
  readonly alias: string;
  readonly launch: FoundLaunch;
}

export interface KeptSecret {
  readonly alias: string;
  /** `variable GITHUB_TOKEN`, `argument 3 (--token)`. */
  readonly where: string;
  readonly variable: string;
  /** Never shown. */
  readonly secret: string;
}

export interface WithVariables {
  /** In the order of what was handed in. */
  readonly launches: readonly FoundLaunch[];
  readonly secrets: readonly KeptSecret[];
}

export function withVariables(servers: readonly Named[]): WithVariables {
  const names = new Names(servers);
  const secrets: KeptSecret[] = [];
  const launches = servers.map(({ alias, launch }) => {
    const env = Object.entries(launch.env).map(([name, value]): [string, string] => {
      if (secretsInVariable(name, value).length === 0) return [name, value];
      const variable = names.forVariable(alias, name, value);
      secrets.push({ alias, where: `variable ${name}`, variable, secret: value });
      return [name, `\${${variable}}`];
    });
    const words = [launch.command, ...launch.args];
    const parts = secretsInArgs(words);
    const kept = words.map((word, at) =>
      replaceParts(
        word,
        parts.filter(({ index }) => index === at),
        (secret, { name }) => {
          const variable = names.forArgument(alias, name, secret);
          secrets.push({ alias, where: whereIn(at, name), variable, secret });
          return `\${${variable}}`;
        },
      ),
    );
    return { ...launch, command: kept[0] ?? "", args: kept.slice(1), env: Object.fromEntries(env) };
  });
  return { launches, secrets };
}

/** Where secrets stand, for whoever looks at the list before anything is chosen. */
export function secretPlaces({ command, args, env }: FoundLaunch): readonly string[] {
  const inEnv = Object.entries(env).filter(([name, value]) => secretsInVariable(name, value).length > 0);
  const parts: readonly SecretPart[] = secretsInArgs([command, ...args]);
  return [...inEnv.map(([name]) => `variable ${name}`), ...parts.map(({ index, name }) => whereIn(index, name))];
}

/** Command and arguments for showing. */
export function shownWords({ command, args }: Pick<FoundLaunch, "command" | "args">): readonly string[] {
  const words = [command, ...args];
  const parts = secretsInArgs(words);
  return words.map((word, at) =>
    replaceParts(
      word,
      parts.filter(({ index }) => index === at),
      () => "<secret>",
    ),
  );
}

function whereIn(index: number, name: string | undefined): string {
  const what = index === 0 ? "the command" : `argument ${String(index)}`;
  return name === undefined ? what : `${what} (${name})`;
}

class Names {
  readonly #secrets = new Map<string, string>();
  /** Variables that hold different secrets in different servers. */
  readonly #shared: ReadonlySet<string>;

  constructor(servers: readonly Named[]) {
    const values = new Map<string, Set<string>>();
    for (const { launch } of servers) {
      for (const [name, value] of Object.entries(launch.env)) {
        if (secretsInVariable(name, value).length > 0) values.set(name, (values.get(name) ?? new Set()).add(value));
      }
    }
    this.#shared = new Set([...values].filter(([, different]) => different.size > 1).map(([name]) => name));
  }

  forVariable(alias: string, name: string, secret: string): string {
    // A name that no reference can hold is written as one that can.
    const own = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : variableName(name);
    return this.#free(this.#shared.has(name) ? `${alias.toUpperCase()}_${own}` : own, secret);
  }

  forArgument(alias: string, name: string | undefined, secret: string): string {
    const prefix = alias.toUpperCase();
    const own = variableName(name ?? "secret");
    return this.#free(own === prefix || own.startsWith(`${prefix}_`) ? own : `${prefix}_${own}`, secret);
  }

  /** The same secret under the same name is one variable. */
  #free(name: string, secret: string): string {
    for (let at = 1; ; at++) {
      const candidate = at === 1 ? name : `${name}_${String(at)}`;
      const held = this.#secrets.get(candidate);
      if (held !== undefined && held !== secret) continue;
      this.#secrets.set(candidate, secret);
      return candidate;
    }
  }
}
