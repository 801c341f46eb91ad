// The service that starts the daemon at log-in: does it still start what is installed here.
import type { Facts } from "./facts.ts";
import { ok, type Finding } from "./finding.ts";
import { seen } from "./look.ts";

const INSTALL = "toolpool service install";

export function checkAutostart(facts: Facts): readonly Finding[] {
  const autostart = seen(facts.autostart);
  // None, or one that somebody wrote by hand and looks after.
  if (autostart === undefined || autostart.installed === "absent" || autostart.installed === "foreign") return [];
  const { file, installed, missing, differs } = autostart;
  if (installed === "unusable") {
    const sentence = `The service file cannot be read: ${file}`;
    return [{ id: "service_program", level: "warning", about: file, sentence, command: "toolpool service status" }];
  }
  if (missing.length > 0) {
    const sentence = `The service starts what is not there any more: ${missing.join(", ")}`;
    return [{ id: "service_program", level: "error", about: file, sentence, command: INSTALL }];
  }
  if (differs > 0) {
    const sentence = "The service file is not what would be written now: it starts with another program, PATH or setting";
    return [{ id: "service_differs", level: "warning", about: file, sentence, command: INSTALL }];
  }
  return [ok("service_program", file, "The service starts this program")];
}
