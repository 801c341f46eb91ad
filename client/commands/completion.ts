// `toolpool completion bash|zsh|fish`: prints the script that a shell's start file reads.
import { SCRIPTS } from "../completion/scripts.ts";
import { usage } from "./failure.ts";
import type { Run } from "./surroundings.ts";

export function completion({ screen }: Run, shell: string): void {
  const script = SCRIPTS.get(shell);
  if (script === undefined) throw usage(`There is no completion for ${shell}`, "See which there are: toolpool completion --help");
  if (screen.json) screen.value({ shell, script });
  else screen.text(script.trimEnd());
}
