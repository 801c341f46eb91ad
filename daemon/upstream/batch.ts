// Batch files (`npx.cmd`) on Windows: Node refuses to start them without a shell, and cmd.exe reads the command line twice, by its
// own rules and by those of the program behind the shim. This writes one line that survives both, so that no argument can turn
// into a command. Arguments that no quoting can carry (line breaks) are refused.
import { UpstreamError } from "./port.ts";

export function isBatchFile(file: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === "win32" && /\.(?:cmd|bat)$/i.test(file);
}

/** For `spawn` with `windowsVerbatimArguments`: /d no autorun, /s keep the outer quotes, /v:off no `!x!` expansion. */
export function batchInvocation(file: string, args: readonly string[], shell: string): { file: string; args: readonly string[] } {
  if (args.some((argument) => /[\r\n\0]/.test(argument))) {
    throw new UpstreamError("spawn_failed", "An argument holds a line break, which a batch file cannot take", {
      reason: "arguments_invalid",
    });
  }
  const line = [escaped(quoted(file)), ...args.map((argument) => escaped(escaped(quoted(argument))))].join(" ");
  return { file: shell, args: ["/d", "/v:off", "/s", "/c", `"${line}"`] };
}

/** As the C runtime splits a command line: backslashes count only before a quote. */
function quoted(argument: string): string {
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}

/** Every character that means something to cmd.exe loses its meaning; a shim's `%*` makes it read the arguments once more. */
function escaped(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");
}
