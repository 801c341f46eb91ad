// The file of the Unix socket: made with mode 0600 before anyone can connect, and taken over from a daemon that died without
// removing it. Refuses to take it from a living one.
import { chmodSync, lstatSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";

/** Another program answers on the socket's path, or something else stands there. */
export class SocketInUse extends Error {
  override readonly name = "SocketInUse";
  readonly code = "socket_in_use";
  readonly socketPath: string;
  constructor(socketPath: string) {
    super(`The socket ${socketPath} is in use by another program`);
    this.socketPath = socketPath;
  }
}

/** `listen` must bind before it returns, as net.Server does for a path. */
export async function listenOnSocket(server: Server, socketPath: string): Promise<void> {
  if (exists(socketPath)) {
    if (!isSocket(socketPath) || (await answers(socketPath))) throw new SocketInUse(socketPath);
    rmSync(socketPath, { force: true });
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const umask = process.umask(0o177);
    try {
      server.listen(socketPath, () => {
        server.off("error", reject);
        resolve();
      });
    } finally {
      process.umask(umask);
    }
  });
  // Where a system ignores the umask for sockets.
  chmodSync(socketPath, 0o600);
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const isSocket = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socketPath);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}
