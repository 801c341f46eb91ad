// The daemon's program: reads where things are and what may run, takes the lock, starts, tells its parent, and ends with the
// right code. The only file of the daemon that ends the process.
import { rmdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pino, type Logger } from "pino";
import { loadConfig, readDigest } from "../config/load.ts";
import { lockFileOf } from "../config/lock.ts";
import { PROGRAM } from "../config/program.ts";
import { configFile, socketPathFor, stateFolder } from "../config/paths.ts";
import type { Discovery } from "./contract/index.ts";
import { Daemon } from "./daemon.ts";
import { PortInUse } from "./http/listeners.ts";
import { SocketInUse } from "./http/socket-file.ts";
import { JournalError } from "./journal/errors.ts";
import { openJournal } from "./journal/journal.ts";
import type { Journal } from "./journal/port.ts";
import { closeInOrder } from "./lifecycle/close-order.ts";
import { publishDiscovery, unpublishDiscovery } from "./lifecycle/discovery.ts";
import { onLastResort } from "./lifecycle/last-resort.ts";
import { keepHeapSmall } from "./lifecycle/memory.ts";
import { onSignals } from "./lifecycle/signals.ts";
import { claimSocketPath } from "./lifecycle/socket-claim.ts";
import { StartError } from "./lifecycle/start-error.ts";
import { claimFolder, tightenFiles } from "./lifecycle/state-folder.ts";
import { claimToken } from "./lifecycle/token.ts";

const DEFAULT_PORT = 7420;

interface Running {
  readonly daemon: Daemon;
  readonly discovery: Discovery;
  readonly discoveryFile: string;
  readonly journal: Journal;
  readonly log: Logger;
}

/** What the parent that started us is told, over the IPC channel where there is one. */
type Tidings =
  | { readonly ready: Discovery }
  | { readonly failed: { readonly exitCode: number; readonly message: string; readonly code: string } };

async function start(): Promise<Running> {
  keepHeapSmall();
  const { port, file } = readArguments();
  const folder = stateFolder(process.env);
  const loaded = await loadConfig(file, process.env);
  if (loaded.kind === "refused") {
    const lines = loaded.issues.map(({ file: named = file, pointer, message, line, column }) => {
      const place = line === undefined ? named : `${named}:${String(line)}:${String(column ?? 1)}`;
      return `${place}: ${pointer === "" ? "" : `${pointer}: `}${message}`;
    });
    throw new StartError("config_invalid", lines.join("\n"), 2);
  }
  claimFolder(folder);
  const keepVersions = loaded.config.limits.versionsInMemory;
  const journal = openJournal(join(folder, "pool.db"), { retention: { keepVersions } });
  try {
    tightenFiles(folder);
    const token = claimToken(join(folder, "token"));
    const socketPath = socketPathFor(folder, process.env);
    if (dirname(socketPath) !== folder) claimFolder(dirname(socketPath));
    claimSocketPath(socketPath);
    const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, openLog(join(folder, "daemon.log")));
    const daemon = new Daemon({
      config: loaded.config,
      configDigest: loaded.digest,
      loadConfig: () => loadConfig(file, process.env),
      ...(process.env.TOOLPOOL_WATCH === "off"
        ? {}
        : { watch: { paths: [file, lockFileOf(file)], digest: () => readDigest(file) } }),
      journal,
      socketPath,
      port,
      token,
      program: PROGRAM,
      log,
    });
    const discovery = await daemon.start();
    const discoveryFile = join(folder, "daemon.json");
    try {
      publishDiscovery(discoveryFile, discovery);
    } catch (error) {
      await daemon.destroy("fault");
      throw error;
    }
    return { daemon, discovery, discoveryFile, journal, log };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Buffered: a log line costs no system call of its own. */
function openLog(file: string): ReturnType<typeof pino.destination> {
  return pino.destination({ dest: file, sync: false, minLength: 4_096, periodicFlush: 500, mode: 0o600, mkdir: false });
}

function readArguments(): { port: number; file: string } {
  try {
    const { values } = parseArgs({ options: { port: { type: "string" }, config: { type: "string" } } });
    const port = values.port === undefined ? DEFAULT_PORT : Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new Error(`--port takes a number from 0 to 65535, not "${values.port ?? ""}"`);
    return { port, file: resolve(values.config ?? configFile(process.env)) };
  } catch (error) {
    throw new StartError("usage", error instanceof Error ? error.message : "the arguments cannot be read", 2);
  }
}

async function run(): Promise<number> {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    return failed(error);
  }
  const { daemon, discovery, discoveryFile, journal, log } = running;
  const offLastResort = onLastResort({
    report: (error) => {
      unpublishDiscovery(discoveryFile, discovery);
      log.fatal({ err: error instanceof Error ? error.stack : String(error) }, "fault");
      log.flush();
    },
    end: () => process.exit(1),
  });
  const offSignals = onSignals({
    close: () => void daemon.close("signal"),
    destroy: () => void daemon.destroy("signal"),
    reload: () => void daemon.reload(),
  });
  await tell({ ready: discovery });
  const reason = await daemon.ending;
  unpublishDiscovery(discoveryFile, discovery);
  const faults = await closeInOrder([
    // It bounds itself, by its drain and its children's grace times, however long they are configured.
    { name: "daemon", deadlineMs: 2 ** 31 - 1, close: () => daemon.close(reason) },
    { name: "journal", deadlineMs: 10_000, close: () => journal.close() },
  ]);
  for (const { step, error } of faults)
    log.error({ step, err: error instanceof Error ? error.message : "fault" }, "not closed in order");
  await closeInOrder([{ name: "log", deadlineMs: 2_000, close: () => new Promise((resolve) => log.flush(resolve)) }]);
  removeIfEmpty(dirname(discovery.socketPath));
  offSignals();
  offLastResort();
  return faults.length > 0 || reason === "journal" || reason === "fault" ? 1 : 0;
}

/** The socket's own folder, where its path in the state folder would have been too long. Others may use it too. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds something: the state folder always does.
  }
}

async function failed(error: unknown): Promise<number> {
  const known =
    error instanceof StartError || error instanceof JournalError || error instanceof PortInUse || error instanceof SocketInUse;
  const message = known
    ? error.message
    : `The daemon could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  const exitCode = error instanceof StartError ? error.exitCode : 1;
  process.stderr.write(`toolpool: ${message}\n`);
  await tell({ failed: { exitCode, message, code: known ? error.code : "fault" } });
  return exitCode;
}

/** The parent may have gone already; then nobody is to be told. */
async function tell(tidings: Tidings): Promise<void> {
  if (process.send === undefined) return;
  await new Promise<void>((resolve) => process.send?.(tidings, undefined, undefined, () => resolve()));
  if (process.connected) process.disconnect();
}

process.exitCode = await run();
process.exit();
