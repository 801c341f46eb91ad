// The product's promises: id, sentence, source. Every test names the promise it proves (test/support/promise.ts); a promise
// without a test fails test/requirements.test.ts. One file per area, put together here.
import { admission } from "./requirements/admission.ts";
import { client } from "./requirements/client.ts";
import { commands } from "./requirements/commands.ts";
import { completion } from "./requirements/completion.ts";
import { config } from "./requirements/config.ts";
import { core } from "./requirements/core.ts";
import { http } from "./requirements/http.ts";
import { packaged } from "./requirements/package.ts";
import { pins } from "./requirements/pins.ts";
import { project } from "./requirements/project.ts";
import { real } from "./requirements/real.ts";
import { review } from "./requirements/review.ts";
import { service } from "./requirements/service.ts";
import { shapes } from "./requirements/shapes.ts";
import { state } from "./requirements/state.ts";
import { upstream } from "./requirements/upstream.ts";

export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  /** Where the promise is made: DESIGN, CONTRACT, an issue, or a shape of bug-reports.md. */
  readonly source: string;
}

export const requirements = [
  ...admission,
  ...client,
  ...commands,
  ...completion,
  ...config,
  ...core,
  ...http,
  ...packaged,
  ...pins,
  ...project,
  ...real,
  ...review,
  ...service,
  ...shapes,
  ...state,
  ...upstream,
] as const;

export type RequirementId = (typeof requirements)[number]["id"];
