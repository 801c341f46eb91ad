// Other programs whose settings still start a server that the pool owns: each of their sessions spawns one more copy. Only servers
// that are reviewed count: until then the other program's entry is the one that works.
import type { Facts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";
import { isSameServer } from "./same-server.ts";
import { editAt } from "./shell-word.ts";

export function checkHosts(facts: Facts): readonly Finding[] {
  const hosts = seen(facts.hosts);
  const loaded = seen(facts.configuration)?.loaded;
  if (hosts === undefined || loaded?.kind !== "ok") return [];
  const owned = [...loaded.config.servers.values()].flatMap((server) =>
    server.kind === "valid" && !server.spec.disabled ? [server.spec] : [],
  );
  const findings = hosts.flatMap((entry): readonly Finding[] => {
    const same = owned.find(({ launch }) => isSameServer(launch, entry));
    if (same === undefined) return [];
    const { host, file, line, name, removal } = entry;
    const place = line === undefined ? file : `${file}:${String(line)}`;
    return [
      {
        id: "host_spawns",
        level: "warning",
        about: same.alias,
        sentence: `${host} starts a copy of ${same.alias} for every session of its own, as "${name}" in ${place}`,
        command: removal ?? editAt(file, line),
      },
    ];
  });
  if (findings.length > 0 || owned.length === 0) return findings;
  return [ok("host_spawns", "hosts", "No other program's settings start a server of the pool")];
}
