// The unit's text: what is escaped and how, what systemd's own checker says of it where it is on the machine, and the marker.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { lastingPath, unwritable, type Launch } from "../../client/autostart/launch.ts";
import { markerOf, readMarker } from "../../client/autostart/marker.ts";
import { programsOf } from "../../client/autostart/programs.ts";
import { readVerdict, systemdSupervisor } from "../../client/autostart/systemd.ts";
import { systemdUnit } from "../../client/autostart/systemd-unit.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const ODD = `odd $HOME 100% %h "q" 'x' [b]* back\\slash ö;#`;

const launch: Launch = {
  asked: { path: "/usr/bin:/bin" },
  node: "/usr/bin/node",
  program: "/opt/toolpool/dist/toolpool.js",
  stateFolder: "/home/a/.local/state/toolpool",
  configFile: "/home/a/.config/toolpool/config.json",
  environmentFile: "/home/a/.config/toolpool/environment",
};

function oddLaunch(root: string): Launch {
  const folder = join(root, ODD);
  const configFile = join(folder, "config.json");
  return {
    asked: { configFile, port: 0, path: `${folder}:/usr/bin` },
    node: join(folder, "node"),
    program: join(folder, "toolpool.js"),
    stateFolder: join(folder, "state"),
    configFile,
    environmentFile: join(folder, "environment"),
  };
}

const linesOf = (text: string, key: string): string[] =>
  text.split("\n").flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

proves("SRV-1", "plain paths stand as they are, with state, configuration, PATH and the file of variables", () => {
  const text = systemdUnit(launch);
  expect(linesOf(text, "ExecStart")).toEqual(['"/usr/bin/node" /opt/toolpool/dist/toolpool.js up --foreground']);
  expect(linesOf(text, "Environment")).toEqual([
    '"TOOLPOOL_STATE=/home/a/.local/state/toolpool"',
    '"TOOLPOOL_CONFIG=/home/a/.config/toolpool/config.json"',
    '"PATH=/usr/bin:/bin"',
  ]);
  expect(linesOf(text, "EnvironmentFile")).toEqual(["-/home/a/.config/toolpool/environment"]);
});

proves("SRV-1", "quotes, backslashes, % and $ are escaped as each place reads them", () => {
  const text = systemdUnit(oddLaunch("/h"));
  const inWord = `/h/odd $$HOME 100%% %%h \\"q\\" 'x' [b]* back\\\\slash ö;#`;
  const inVariable = inWord.replace("$$", "$");
  // systemd takes no quote in a program's own path: a shell becomes the program.
  expect(linesOf(text, "ExecStart")).toEqual([
    `/bin/sh -c "exec \\"$$0\\" \\"$$@\\"" "${inWord}/node" "${inWord}/toolpool.js" up --foreground --config "${inWord}/config.json" --port 0`,
  ]);
  expect(linesOf(text, "Environment")[0]).toBe(`"TOOLPOOL_STATE=${inVariable}/state"`);
  expect(linesOf(text, "EnvironmentFile")).toEqual([`-/h/odd $HOME 100%% %%h "q" 'x' \\[b\\]\\* back\\\\slash ö;#/environment`]);
  const spaced = systemdUnit({ ...launch, node: "/a b/$n 1%/node" });
  expect(linesOf(spaced, "ExecStart")[0]).toMatch(/^"\/a b\/\$n 1%%\/node" /);
  expect(unwritable({ ...launch, program: "/a\nExecStart=/bin/evil" })).toBe("/a\nExecStart=/bin/evil");
  expect(unwritable(launch)).toBeUndefined();
});

const checker = spawnSync("systemd-analyze", ["--version"]).status === 0;

proves(
  "SRV-1",
  checker
    ? "systemd-analyze takes units with odd paths and finds faults in others"
    : "no systemd-analyze here: only its words are read",
  async () => {
    const folder = tempFolder();
    const supervisor = systemdSupervisor(folder);
    const run = programsOf({ env: { ...process.env, XDG_RUNTIME_DIR: "" }, signal: AbortSignal.timeout(20_000) });
    const odd = oddLaunch(folder);
    mkdirSync(join(folder, ODD));
    copyFileSync("/bin/true", odd.node);
    const spaced = { ...odd, node: join(folder, "a $b 1% node") };
    copyFileSync("/bin/true", spaced.node);
    const copy = join(folder, "toolpool.service");
    const check = async (text: string): Promise<unknown> => {
      writeFileSync(copy, text);
      return supervisor.verdict(await supervisor.check(run, copy, folder));
    };
    const sound = checker ? { kind: "valid", notes: [] } : { kind: "unchecked", why: "systemd-analyze is not on PATH" };
    expect(await check(systemdUnit(odd))).toEqual(sound);
    expect(await check(systemdUnit(spaced))).toEqual(sound);
    if (checker) {
      // It tells of this one with exit code 0.
      const faulty = await check(systemdUnit(odd).replace("Restart=on-failure", "Restart=sometimes"));
      expect(faulty).toMatchObject({ kind: "invalid", lines: [expect.stringContaining("sometimes")] });
      expect(await check(systemdUnit({ ...odd, node: join(folder, "nowhere") }))).toMatchObject({ kind: "invalid" });
    }
    const ended = (code: number, stderr: string): ReturnType<typeof readVerdict> =>
      readVerdict({ kind: "ended", code, stdout: "", stderr });
    expect(ended(0, "/x/toolpool.service:3: Unknown key 'OOMPolicy' in section [Service], ignoring.")).toMatchObject({
      kind: "valid",
    });
    expect(ended(0, "/x/other.service:3: Failed to parse")).toEqual({ kind: "valid", notes: [] });
    expect(ended(0, "/x/toolpool.service:3: Failed to parse time value, ignoring: abc")).toMatchObject({ kind: "invalid" });
    expect(ended(1, "Failed to initialize manager: No such device")).toMatchObject({ kind: "unchecked" });
  },
);

proves(
  "SRV-2",
  "restarts are bounded, exit code 2 is none, the signal goes to the first process, a greedy server ends alone",
  () => {
    const text = systemdUnit(launch);
    const facts = ["Restart", "RestartPreventExitStatus", "StartLimitBurst", "StartLimitIntervalSec", "KillMode", "OOMPolicy"];
    expect(facts.map((key) => linesOf(text, key))).toEqual([["on-failure"], ["2"], ["5"], ["300"], ["mixed"], ["continue"]]);
  },
);

proves("SRV-4", "a file is known again by its marker, which holds what was asked and cannot end a comment", () => {
  const asked = { configFile: "/a --> b\n-- c", port: 7, path: "/x" };
  const marker = markerOf(asked);
  expect(marker).not.toMatch(/--|\n/);
  expect(readMarker(`first\n<!-- words ${marker} -->\nlast`)).toEqual(asked);
  expect(readMarker(systemdUnit(launch))).toEqual(launch.asked);
  for (const text of ["", "[Unit]", "toolpool-service:", "# toolpool-service: {", '# toolpool-service: {"path":1}'])
    expect(readMarker(text)).toBeUndefined();
});

proves("SRV-10", "PATH keeps what lasts of the shell's, and node's own folder", () => {
  const given = "/proj/node_modules/.bin:relative::/home/a/bin:/run/user/1/fnm_multishells/7/bin:/usr/bin:/home/a/bin";
  expect(lastingPath(given, "/nvm/v20/bin/node")).toBe("/nvm/v20/bin:/home/a/bin:/usr/bin:/usr/local/bin:/bin");
  expect(lastingPath("/home/a/bin:/usr/bin", "/usr/bin/node")).toBe("/home/a/bin:/usr/bin:/usr/local/bin:/bin");
  expect(lastingPath(undefined, "/usr/bin/node")).toBe("/usr/bin:/usr/local/bin:/bin");
  expect(execFileSync("/bin/sh", ["-c", "command -v true"], { env: { PATH: lastingPath("", "/x/node") } }).toString()).toContain(
    "true",
  );
});
