// The service in a real systemd user instance, where one can be had: as root, with unshare, in namespaces of its own. Every path of
// it is as odd as paths get. Where it cannot be had, the test says so in its name; the decisions and texts are shown by the others.
import { spawnSync } from "node:child_process";
import { constants, copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { TOOLPOOL } from "../commands/toolpool.ts";
import { scripted } from "../support/pool.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const ROOT = join(import.meta.dirname, "../..");

/** What the commands printed, by the headings between them. Undefined where no instance comes up. */
function inInstance(folder: string, env: NodeJS.ProcessEnv, script: string): ReadonlyMap<string, string> | undefined {
  const words = ["-m", "-C", "bash", join(ROOT, "test/fixtures/user-instance.sh"), folder];
  const { stdout, status } = spawnSync("unshare", words, { input: script, env, encoding: "utf8", timeout: 90_000, cwd: folder });
  if (status !== 0) return undefined;
  const parts = stdout.split(/^== (.*)\n/m);
  return new Map(parts.flatMap((name, at) => (at % 2 === 1 ? [[name, parts[at + 1] ?? ""] as const] : [])));
}

const able = inInstance(tempFolder(), process.env, "echo '== up'\n") !== undefined;

const SCRIPT = String.raw`
toolpool() { "$ODD/node" "$ODD/dist/toolpool.js" "$@"; echo "exit $?"; }
pid() { toolpool status --json | head -1 | "$ODD/node" -p 'JSON.parse(require("fs").readFileSync(0, "utf8").split("\nexit")[0]).daemon.pid'; }
shown() { for name in ActiveState Result NRestarts; do systemctl --user show toolpool --value --property=$name; done | tr '\n' ' '; echo; }
until_true() { for ((i = 0; i < 300; i++)); do eval "$1" >/dev/null 2>&1 && return; sleep 0.05; done; echo "never: $1"; }
echo '== install'
toolpool service install --config "$ODD/toolpool.json" --port 0
echo '== again'
toolpool service install --config "$ODD/toolpool.json" --port 0
echo '== status'
toolpool service status
echo '== environment'
daemon=$(pid)
tr '\0' '\n' <"/proc/$daemon/environ" | grep -E '^(SECRET|TOOLPOOL_STATE|TOOLPOOL_CONFIG)='
echo '== reload'
systemctl --user reload toolpool; echo "exit $?"
echo '== killed'
toolpool connect alpha | tail -1
kill -9 "$daemon"
until_true '[ "$(systemctl --user show toolpool --value -p NRestarts)" = 1 ] && "$ODD/node" "$ODD/dist/toolpool.js" status'
shown
echo '== stopped'
toolpool connect alpha | tail -1
systemctl --user stop toolpool
shown
tail -n 3 "$HOME/.local/state/toolpool/daemon.log"
ls "$HOME/.local/state/toolpool"
echo '== refused'
mv "$ODD/toolpool.json" "$ODD/good.json"; echo '{' >"$ODD/toolpool.json"
systemctl --user start toolpool
until_true '[ "$(systemctl --user show toolpool --value -p ActiveState)" = failed ]'
shown
mv "$ODD/good.json" "$ODD/toolpool.json"
echo '== repaired'
toolpool service install --config "$ODD/toolpool.json" --port 0 | head -1
echo '== uninstalled'
toolpool service uninstall
systemctl --user show toolpool --value --property=LoadState
find "$HOME/.config" -type f -o -type l
`;

proves(
  "SRV-1",
  able
    ? "a real systemd runs exactly that: odd paths, variables of the file, restart after kill -9, no restart of a refused configuration"
    : "no systemd user instance can be had here (it takes root, unshare and systemd): not shown",
  () => {
    if (!able) return;
    const folder = tempFolder();
    const home = join(folder, `odd $HOME 100% %h "q" 'x' [b]* ö`);
    const odd = join(home, "pro$gram's");
    mkdirSync(join(home, ".config/toolpool"), { recursive: true });
    cpSync(dirname(TOOLPOOL), join(odd, "dist"), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(odd, "node_modules"));
    copyFileSync(process.execPath, join(odd, "node"), constants.COPYFILE_FICLONE);
    const alpha = { ...scripted({ tools: [{ name: "lookup" }], ignoreEof: true, ignoreSigterm: true }), env: { K: "${SECRET}" } };
    writeFileSync(join(odd, "toolpool.json"), JSON.stringify({ mcpServers: { alpha } }));
    writeFileSync(join(home, ".config/toolpool/environment"), "SECRET='a $b %c'\n", { mode: 0o600 });
    const env = { PATH: process.env.PATH, HOME: home, ODD: odd, LC_ALL: "C.UTF-8" };
    const said = inInstance(folder, env, SCRIPT);
    const part = (name: string): string => said?.get(name) ?? "";
    expect(part("install")).toMatch(/is installed and runs \(pid \d+\)\n[^]*checked +by systemd-analyze verify\n[^]*exit 0\n$/);
    expect(part("again")).toMatch(/nothing was changed\n[^]*exit 0\n$/);
    expect(part("status")).toMatch(/is installed and runs\n[^]*active \(running\), pid \d+\n[^]*exit 0\n$/);
    expect(part("status")).not.toContain("not what would be written");
    expect(part("environment").trim().split("\n").sort()).toEqual([
      "SECRET=a $b %c",
      `TOOLPOOL_CONFIG=${odd}/toolpool.json`,
      `TOOLPOOL_STATE=${home}/.local/state/toolpool`,
    ]);
    expect(part("reload")).toBe("exit 0\n");
    expect(part("killed")).toContain("exit 0\nactive success 1");
    expect(part("stopped")).toMatch(
      /inactive success \d+ \n.*"msg":"closing".*\n[^]*"msg":"closed".*\ndaemon\.log\npool\.db\ntoken\n$/,
    );
    // One signal: the stubborn server was given its time (300 ms a rung). A second one would have been "destroy now".
    const times = [...part("stopped").matchAll(/"time":"([^"]+)".*"msg":"clos(?:ing|ed)"/g)].map(([, at = ""]) => Date.parse(at));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500);
    expect(part("refused")).toMatch(/^failed exit-code 0 \n$/);
    expect(part("repaired")).toMatch(/is installed and runs/);
    expect(part("uninstalled")).toBe(
      `The service is stopped and removed: ${home}/.config/systemd/user/toolpool.service\nexit 0\n` +
        `not-found\n${home}/.config/toolpool/environment\n`,
    );
    expect(readFileSync(join(home, ".config/toolpool/environment"), "utf8")).toBe("SECRET='a $b %c'\n");
  },
  120_000,
);
