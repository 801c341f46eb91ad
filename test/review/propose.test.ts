// What effect is proposed for a tool, and why: tables of names, hints, texts and arguments, laws over all of them, and real servers.
import fc from "fast-check";
import { expect } from "vitest";
import { proposeEffect } from "../../client/review/propose-effect.ts";
import type { ReviewEffect, ReviewTool } from "../../client/review/types.ts";
import { wordsOf } from "../../client/review/words.ts";
import { proves } from "../support/promise.ts";
import { corpusServers, refused, tool } from "./tools.ts";

const STRICTNESS: readonly ReviewEffect[] = ["read", "write", "external", "hidden"];
const strictness = (effect: ReviewEffect): number => STRICTNESS.indexOf(effect);
const effectOf = (name: string, more: Partial<ReviewTool> = {}): ReviewEffect => proposeEffect(tool(name, more)).effect;
const withArgument = (name: string, property: object = { type: "string" }): Partial<ReviewTool> => ({
  inputSchema: { type: "object", properties: { [name]: { ...property } } },
});

proves("REV-1", "names are split at case, signs and digits", () => {
  expect(wordsOf("getPullRequest")).toEqual(["get", "pull", "request"]);
  expect(wordsOf("get_pull-request.v2")).toEqual(["get", "pull", "request", "v", "2"]);
  expect(wordsOf("listAWSBuckets")).toEqual(["list", "aws", "buckets"]);
  expect(wordsOf("HTTPGet")).toEqual(["http", "get"]);
  expect(wordsOf("")).toEqual([]);
  expect(wordsOf("--__--")).toEqual([]);
  expect(wordsOf("A".repeat(1_000_000)).length).toBe(1);
});

proves("REV-1", "names alone: looking, changing, reaching out, and the unknown", () => {
  const names: Readonly<Record<string, ReviewEffect>> = {
    get_issue: "read",
    listIssues: "read",
    "search-files": "read",
    linear_getIssueById: "read",
    maps_text_search: "read",
    get_pull_request: "read",
    list_messages: "read",
    get_run: "read",
    get_data_set: "read",
    create_issue: "write",
    get_or_create_label: "write",
    search_and_replace: "write",
    validate_and_optimize: "write",
    merge_list: "write",
    resolve_thread: "write",
    show_notification: "write",
    frobnicate: "write",
    query_database: "write",
    "": "write",
    получить: "write",
    send_email: "external",
    read_and_send: "external",
    post_message: "external",
    browse: "external",
    run_query: "external",
    execute_command: "external",
    web_search: "external",
    fetch_page: "external",
    deploy: "external",
    download_file: "external",
  };
  expect(Object.fromEntries(Object.keys(names).map((name) => [name, effectOf(name)]))).toEqual(names);
});

proves("REV-1", "hints make it stricter, and never milder: B43", () => {
  const hinted = (name: string, annotations: ReviewTool["annotations"]): ReviewEffect =>
    effectOf(name, annotations === undefined ? {} : { annotations });
  expect(hinted("get_issue", { readOnlyHint: true, destructiveHint: false, openWorldHint: false })).toBe("read");
  expect(hinted("get_issue", { readOnlyHint: false })).toBe("write");
  expect(hinted("get_issue", { readOnlyHint: "true" })).toBe("write");
  expect(hinted("get_issue", { destructiveHint: true })).toBe("write");
  expect(hinted("get_issue", { openWorldHint: true })).toBe("external");
  expect(hinted("get_issue", { readOnlyHint: true, destructiveHint: true })).toBe("write");
  expect(hinted("delete_all", { readOnlyHint: true, idempotentHint: true })).toBe("write");
  expect(hinted("thing", { readOnlyHint: true })).toBe("write");
  expect(hinted("send_money", { readOnlyHint: true, openWorldHint: false })).toBe("external");
});

proves("REV-1", "descriptions and titles that admit more are believed", () => {
  const said = (description: string): ReviewEffect => effectOf("get_issue", { description });
  expect(said("Returns the issue with its comments.")).toBe("read");
  expect(said("Use create_issue to create one first.")).toBe("read");
  expect(said("Never deletes anything.")).toBe("read");
  expect(said("Deletes the issue.")).toBe("write");
  expect(said("Deletes it without asking, never keeping a copy.")).toBe("write");
  expect(said("Returns the issue. It can also delete it.")).toBe("write");
  expect(said("Has no side effects.")).toBe("read");
  expect(said("Takes the issue. This cannot be undone.")).toBe("write");
  expect(said("Reads it, with side effects.")).toBe("write");
  expect(said("Gets the issue and sends it to a channel.")).toBe("external");
  expect(effectOf("get_issue", { title: "Remove issue" })).toBe("write");
  expect(effectOf("get_issue", { annotations: { title: "Send issue" } })).toBe("external");
});

proves("REV-1", "arguments that are addresses, programs, statements or choices count", () => {
  expect(effectOf("get_page", withArgument("url"))).toBe("external");
  expect(effectOf("get_page", withArgument("fileUrl"))).toBe("external");
  expect(effectOf("get_output", withArgument("command"))).toBe("external");
  expect(effectOf("get_weather", withArgument("country_code"))).toBe("read");
  expect(effectOf("query", withArgument("sql"))).toBe("write");
  expect(effectOf("list_items", withArgument("action", { enum: ["list", "delete"] }))).toBe("write");
  expect(effectOf("list_items", withArgument("operation", { enum: ["list", "send_all"] }))).toBe("external");
  expect(effectOf("list_items", withArgument("status", { enum: ["open", "closed"] }))).toBe("read");
  for (const inputSchema of [null, [], "x", { properties: null }, { properties: [] }, { properties: { a: null } }])
    expect(effectOf("get_issue", { inputSchema })).toBe("read");
});

proves("REV-1", "`why` is one short sentence about what decided; a proposal of read says that it is to be checked", () => {
  expect(proposeEffect(tool("create_issue")).why).toBe('"create" in its name changes something');
  expect(proposeEffect(tool("x")).why).toBe("nothing says that it only looks");
  const read = proposeEffect(tool("get_issue")).why;
  expect(read).toContain("the server's own words: check it");
  const hostile = proposeEffect(tool("get_issue", withArgument("\u001b[2J\u202eurl")));
  expect(hostile.why).not.toMatch(/[\u001b\u202e]/);
});

const someTool = fc.record({
  name: fc.oneof(fc.constantFrom("get_x", "list_all", "send", "create_y", "query", "thing"), fc.string()),
  description: fc.oneof(fc.constantFrom("Deletes it.", "Returns it.", "Sends it."), fc.string()),
  hints: fc.dictionary(fc.constantFrom("readOnlyHint", "destructiveHint", "openWorldHint", "idempotentHint"), fc.boolean()),
  argument: fc.oneof(fc.constantFrom("id", "url", "sql", "command"), fc.string()),
});

proves("REV-1", "for any tool: hints and texts never lower the proposal, and it has a reason", () => {
  fc.assert(
    fc.property(someTool, ({ name, description, hints, argument }) => {
      const bare = proposeEffect(tool(name));
      const full = proposeEffect(tool(name, { description, annotations: hints, ...withArgument(argument) }));
      expect(strictness(full.effect)).toBeGreaterThanOrEqual(strictness(bare.effect));
      const milder = proposeEffect(
        tool(name, { description, annotations: { ...hints, readOnlyHint: true }, ...withArgument(argument) }),
      );
      if (hints.readOnlyHint !== false) expect(milder).toEqual(full);
      expect(full.why.length).toBeGreaterThan(10);
      expect(full.why).not.toContain("\n");
    }),
  );
});

proves("REV-1", "a refused tool is proposed hidden, one whose name is refused is not", () => {
  const proposal = proposeEffect(tool("get_issue", refused));
  expect(proposal).toEqual({ effect: "hidden", why: "it cannot be exposed: /inputSchema/type must be object" });
  const refusals = [{ code: "name_rejected", pointer: "/name", message: "is too long" }];
  expect(effectOf("get_issue", { refusals })).toBe("read");
  expect(effectOf("get_issue", { refusals: [...refusals, ...refused.refusals] })).toBe("hidden");
});

/** Labelled by hand: the weakest effect that a careful person would give. */
const LABELS: Readonly<Record<string, Readonly<Record<string, ReviewEffect>>>> = {
  "@playwright/mcp": {
    browser_navigate: "external",
    browser_click: "external",
    browser_evaluate: "external",
    browser_run_code_unsafe: "external",
    browser_file_upload: "external",
    browser_type: "external",
  },
  "@modelcontextprotocol/server-github": {
    create_issue: "write",
    push_files: "write",
    merge_pull_request: "write",
    fork_repository: "write",
    add_issue_comment: "write",
    create_pull_request_review: "write",
    update_issue: "write",
    create_or_update_file: "write",
  },
  "@wonderwhy-er/desktop-commander": {
    write_file: "write",
    edit_block: "write",
    start_process: "external",
    interact_with_process: "external",
    kill_process: "write",
    move_file: "write",
    set_config_value: "write",
    give_feedback_to_desktop_commander: "external",
  },
  "@gongrzhe/server-gmail-autoauth-mcp": {
    send_email: "external",
    delete_email: "write",
    draft_email: "write",
    modify_email: "write",
    get_or_create_label: "write",
    batch_delete_emails: "write",
    create_filter: "write",
  },
  "mcp-server-kubernetes": {
    kubectl_delete: "write",
    kubectl_apply: "write",
    exec_in_pod: "external",
    kubectl_generic: "write",
    install_helm_chart: "write",
    cleanup: "write",
    port_forward: "write",
  },
  "@cyanheads/git-mcp-server": {
    git_push: "external",
    git_commit: "write",
    git_reset: "write",
    git_clean: "write",
    git_fetch: "external",
    git_branch: "write",
    git_tag: "write",
  },
  "@line/line-bot-mcp-server": { push_text_message: "external", broadcast_text_message: "external", delete_rich_menu: "write" },
  "@dynatrace-oss/dynatrace-mcp-server": {
    send_slack_message: "external",
    send_email: "external",
    send_event: "external",
    reset_grail_budget: "write",
    execute_dql: "external",
  },
  "mongodb-mcp-server": {
    "delete-many": "write",
    "drop-database": "write",
    "insert-many": "write",
    "update-many": "write",
    "rename-collection": "write",
    aggregate: "write",
  },
  "@supabase/mcp-server-supabase": {
    execute_sql: "write",
    apply_migration: "write",
    deploy_edge_function: "external",
    delete_branch: "write",
    pause_project: "write",
  },
  "@modelcontextprotocol/server-postgres": { query: "write" },
  "mcp-server-code-runner": { "run-code": "external" },
  "fetcher-mcp": { fetch_url: "external", browser_install: "write" },
  "@larksuiteoapi/lark-mcp": {
    im_v1_message_create: "external",
    bitable_v1_appTableRecord_update: "write",
    drive_v1_permissionMember_create: "write",
  },
  "@softeria/ms-365-mcp-server": {
    "send-mail": "external",
    "delete-mail-message": "write",
    "forward-mail-message": "external",
    "create-calendar-event": "write",
  },
  "@executeautomation/playwright-mcp-server": {
    playwright_post: "external",
    playwright_navigate: "external",
    playwright_evaluate: "external",
    playwright_get: "external",
  },
  "@doist/todoist-mcp": { "delete-object": "write", "add-tasks": "write", "manage-assignments": "write" },
  "obsidian-mcp": { obsidian_delete_note: "write", obsidian_edit_note: "write" },
};

/** Servers that are not in the corpus, as they are published. */
const FILESYSTEM: Readonly<Record<string, ReviewEffect>> = {
  write_file: "write",
  edit_file: "write",
  create_directory: "write",
  move_file: "write",
  delete_entities: "write",
  add_observations: "write",
  create_relations: "write",
};

proves("REV-1", "labelled tools of real servers are never proposed weaker; plain readers are proposed read", () => {
  for (const [name, label] of Object.entries(FILESYSTEM)) expect([name, effectOf(name)]).toEqual([name, label]);
  for (const name of ["read_file", "list_directory", "search_files", "get_file_info", "read_graph", "search_nodes"])
    expect([name, effectOf(name)]).toEqual([name, "read"]);
  const servers = corpusServers();
  if (servers.length === 0) return;
  const weaker: string[] = [];
  let labelled = 0;
  for (const [server, labels] of Object.entries(LABELS)) {
    for (const [name, label] of Object.entries(labels)) {
      const published = servers.find((one) => one.name === server)?.tools.find((one) => one.name === name);
      if (published === undefined) throw new Error(`${server} publishes no ${name}`);
      labelled += 1;
      const { effect } = proposeEffect(published);
      if (strictness(effect) < strictness(label)) weaker.push(`${server} ${name}: ${effect}, labelled ${label}`);
    }
  }
  expect(weaker).toEqual([]);
  expect(labelled).toBeGreaterThanOrEqual(60);
});

proves("REV-1", "over all real servers: nothing that says it writes is proposed read, and reading stays cheap", () => {
  const tools = corpusServers().flatMap((server) => server.tools);
  if (tools.length === 0) return;
  const counts = { read: 0, write: 0, external: 0, hidden: 0 };
  for (const one of tools) counts[proposeEffect(one).effect] += 1;
  expect(counts.hidden).toBe(0);
  // Measured: 26 % read, 36 % write, 38 % external. A table that grows careless shows here.
  expect(counts.read / tools.length).toBeGreaterThan(0.2);
  expect(counts.read / tools.length).toBeLessThan(0.35);
  const said = tools.filter(({ annotations }) => annotations?.readOnlyHint === false || annotations?.destructiveHint === true);
  expect(said.filter((one) => proposeEffect(one).effect === "read")).toEqual([]);
});
