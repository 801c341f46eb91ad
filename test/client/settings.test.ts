import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readModelSettings } from "../../client/models/settings.ts";
import { proves } from "../support/promise.ts";
import { tempFolder } from "../support/temp.ts";

const problems = (env: NodeJS.ProcessEnv, cwd = "/"): readonly string[] => {
  const reading = readModelSettings(env, cwd);
  return reading.kind === "incomplete" ? reading.problems : [];
};
const names = (env: NodeJS.ProcessEnv): readonly string[] => problems(env).map((line) => line.split(" ")[0] ?? "");

const complete = {
  OPENAI_API_KEY: "sk-1234567890",
  OPENAI_BASE_URL: "https://models.example/v1",
  OPENAI_MODEL: "some-model",
  OPENAI_API: "responses",
};

proves("LEAD-1", "with nothing set all four are named, each with what it is", () => {
  expect(names({})).toEqual(["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API"]);
  expect(problems({}).join("\n")).toContain("chat or responses");
  expect(names({ ...complete, OPENAI_API_KEY: "  ", OPENAI_API: "" })).toEqual(["OPENAI_API_KEY", "OPENAI_API"]);
});

proves("LEAD-1", "wrong values are reported beside missing ones, and the key is not shown", () => {
  const { OPENAI_MODEL: _, ...rest } = complete;
  const found = problems({ ...rest, OPENAI_BASE_URL: "ftp://x", OPENAI_API: "Chat" });
  expect(found.map((line) => line.split(" ")[0])).toEqual(["OPENAI_MODEL", "OPENAI_API", "OPENAI_BASE_URL"]);
  expect(found.join("\n")).not.toContain("sk-1234567890");
});

proves("LEAD-1", "four settings are complete", () => {
  expect(readModelSettings(complete, "/")).toEqual({
    kind: "complete",
    settings: {
      kind: "provider",
      apiKey: "sk-1234567890",
      baseUrl: "https://models.example/v1",
      model: "some-model",
      api: "responses",
    },
  });
});

proves("LEAD-1", "a scripted model needs its file only, relative to where it was started", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "script.json"), JSON.stringify({ turns: [{ text: "hello" }] }));
  const reading = readModelSettings({ OPENAI_MODEL: "scripted:script.json" }, folder);
  expect(reading).toMatchObject({ kind: "complete", settings: { kind: "scripted", api: "chat" } });
});

proves(
  "LEAD-21",
  "everything wrong with a script is reported at once, with pointers; a missing or broken file by its name",
  () => {
    const folder = tempFolder();
    const script = { turns: [{ text: 1 }, { calls: [{ arguments: {} }, 7], finish: "soon" }, {}], more: true };
    writeFileSync(join(folder, "bad.json"), JSON.stringify(script));
    writeFileSync(join(folder, "broken.json"), "{");
    const found = problems({ OPENAI_MODEL: "scripted:bad.json", OPENAI_API: "x" }, folder).join("\n");
    for (const pointer of ["/more", "/turns/0/text", "/turns/1/calls/0", "/turns/1/finish", "/turns/2", "OPENAI_API"]) {
      expect(found).toContain(pointer);
    }
    expect(problems({ OPENAI_MODEL: "scripted:none.json" }, folder).join()).toMatch(/none\.json cannot be read/);
    expect(problems({ OPENAI_MODEL: "scripted:broken.json" }, folder).join()).toMatch(/broken\.json is not JSON/);
  },
);
