// The product's promises: id, sentence, source. Every test names the promise it proves (test/support/promise.ts); a promise
// without a test fails test/requirements.test.ts. One file per area, put together here.
import { admission } from "./requirements/admission.ts";
import { client } from "./requirements/client.ts";
import { commands } from "./requirements/commands.ts";
import { completion } from "./requirements/completion.ts";
import { config } from "./requirements/config.ts";
import { configWatch } from "./requirements/config-watch.ts";
import { core } from "./requirements/core.ts";
import { doctor } from "./requirements/doctor.ts";
import { http } from "./requirements/http.ts";
import { journey } from "./requirements/journey.ts";
import { packaged } from "./requirements/package.ts";
import { imports } from "./requirements/import.ts";
import { pins } from "./requirements/pins.ts";
import { project } from "./requirements/project.ts";
import { real } from "./requirements/real.ts";
import { service } from "./requirements/service.ts";
import { review } from "./requirements/review.ts";
import { shapes } from "./requirements/shapes.ts";
import { state } from "./requirements/state.ts";
import { page } from "./requirements/status.ts";
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
  ...configWatch,
  ...core,
  ...doctor,
  ...http,
  ...journey,
  ...imports,
  ...packaged,
  ...page,
  ...pins,
  ...project,
  ...real,
  ...service,
  ...review,
  ...shapes,
  ...state,
  ...upstream,
] as const;

export type RequirementId = (typeof requirements)[number]["id"];
