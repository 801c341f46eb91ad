// The service file against what is installed: as `toolpool service install` writes it, and as it is after a move. No systemd is asked.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { proves } from "../support/promise.ts";
import { clinic, has, lacks } from "./clinic.ts";

proves(
  "DOC-12",
  "none and a sound one have nothing; one whose program is gone is an error, one that differs a warning",
  async () => {
    const place = clinic();
    const file = join(place.home, ".config/systemd/user/toolpool.service");
    const nothing = (await place.look()).findings;
    for (const id of ["service_program", "service_differs"] as const) lacks(nothing, id);
    const printed = await place.toolpool(["service", "install", "--print"], { env: place.surroundings });
    expect(printed.code).toBe(0);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, printed.stdout);
    const sound = (await place.look()).findings;
    for (const id of ["service_program", "service_differs"] as const) lacks(sound, id);
    expect(sound.some(({ id, level }) => id === "service_program" && level === "ok")).toBe(true);
    writeFileSync(file, printed.stdout.replaceAll(process.execPath, "/nowhere/bin/node"));
    const command = "toolpool service install";
    has((await place.look()).findings, "service_program", { level: "error", sentence: /\/nowhere\/bin\/node/, command });
    writeFileSync(file, printed.stdout.replace("RestartSec=2", "RestartSec=77"));
    has((await place.look()).findings, "service_differs", { level: "warning", command });
    // Somebody's own unit is theirs.
    writeFileSync(file, "[Service]\nExecStart=/nowhere/else\n");
    lacks((await place.look()).findings, "service_program");
  },
);
