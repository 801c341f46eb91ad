// The file with the values for `${NAME}` that a service cannot get from a shell: one `NAME=value` a line, for its owner's eyes only.
// It is made empty once and never written again; its values are never shown.
import { chmod, mkdir, open, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { parseEnv } from "node:util";

const HEAD = `# Environment of the toolpool service, one NAME=value a line: the values for \${NAME} in the configuration.
# Read when the service starts. Keep it to yourself (mode 0600).
`;

/** True when it was made now. */
export async function ensureEnvironmentFile(file: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.writeFile(HEAD);
    } finally {
      await handle.close();
    }
    // The umask may have taken more away than is wanted.
    await chmod(file, 0o600);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Empty without one. Rejects when it cannot be read. */
export async function readEnvironmentFile(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    const entries = Object.entries(parseEnv(await readFile(file, "utf8")));
    return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}

/** Whether others than its owner may read it. */
export async function isOpenToOthers(file: string): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined);
  return facts !== undefined && (facts.mode & 0o077) !== 0;
}
