// Wording by which a text speaks to the model instead of describing a tool, leans on other tools, or hides something in markup,
// links or an encoding. Patterns begin with a plain word and repeat nothing inside a repetition, so that they take linear time on
// any text. Each says what a person should think about; none is proof.
import type { Flag } from "./types.ts";

export interface Wording {
  readonly kind: Flag["kind"];
  readonly message: string;
  readonly pattern: RegExp;
}

const SP = "\\s{1,8}";
const words = (...parts: readonly string[]): RegExp => new RegExp(`\\b${parts.join(SP)}\\b`, "i");

export const WORDINGS: readonly Wording[] = [
  ...[
    words(
      "(?:ignore|disregard|forget|override|bypass)",
      "(?:(?:all|any|the|your|every|these|those|my)\\s{1,8}){0,3}(?:previous|prior|above|earlier|preceding|system|other|safety|existing)",
      "(?:instructions?|prompts?|rules?|messages?|guidelines?|directions?|context|tools?)",
    ),
    words("(?:ignore|disregard|forget)", "(?:your|all|any)", "(?:instructions?|rules?|guidelines?|training)"),
    words("(?:new|real|actual|secret|hidden)", "(?:system\\s{1,8})?instructions?"),
    words("you", "are", "now"),
    words("(?:your|the)", "system", "prompt"),
    words("developer", "mode"),
  ].map((pattern): Wording => ({ kind: "addresses_model", message: "speaks to the model", pattern })),
  ...[
    words(
      "(?:do\\s{1,8}not|don['’]t|never|must\\s{1,8}not|should\\s{1,8}not)",
      "(?:ever\\s{1,8})?(?:tell|mention|inform|notify|alert|warn|reveal|disclose|show|say)",
      "(?:(?:this|it|that|anything|about|to|the|of|any)\\s{1,8}){0,4}(?:users?|humans?|person|anyone|anybody|people)",
    ),
    words(
      "without",
      "(?:telling|informing|notifying|asking|mentioning|alerting)",
      "(?:(?:this|it|to|the)\\s{1,8}){0,3}(?:users?|human|person|anyone)",
    ),
    words("(?:hide|conceal|keep)", "(?:this|it|that)", "(?:a\\s{1,8})?(?:secret\\s{1,8})?from", "(?:the\\s{1,8})?(?:user|human)"),
    words("(?:secretly|covertly|surreptitiously)"),
  ].map((pattern): Wording => ({ kind: "addresses_model", message: "wants something kept from the person", pattern })),
  ...[
    words(
      "you",
      "(?:must|should|have\\s{1,8}to|need\\s{1,8}to|are\\s{1,8}required\\s{1,8}to)",
      `(?:(?:always|first|also|never|not|only)\\s{1,8}){0,2}(?:call|invoke|(?:use|run)\\s{1,8}this)`,
    ),
    words("(?:always|must)", "(?:(?:first|also)\\s{1,8})?(?:call|use|invoke|run)", "(?:this|it|that|any|other)"),
    words("(?:never|not)", "(?:call|use|invoke|run)", "(?:any\\s{1,8})?other", "(?:tools?|functions?|servers?|mcp)"),
    words(
      "(?:call|use|invoke|run)",
      "(?:this|it)(?:\\s{1,8}(?:tool|function))?",
      "(?:first\\s{1,8})?before",
      "(?:any|every|all|other|each|using|calling|doing|answering)",
    ),
    words(
      "before",
      "(?:using|calling|invoking|running)",
      "(?:this|any|other|all|every|another)",
      "(?:other\\s{1,8})?(?:tools?|functions?|commands?)",
    ),
    words(
      "(?:after|whenever|every\\s{1,8}time|each\\s{1,8}time)",
      "(?:you\\s{1,8})?(?:using|use|calling|call|invoking|invoke|running|run)",
      "(?:any|other|another|all|every)",
      "(?:other\\s{1,8})?tools?",
    ),
  ].map((pattern): Wording => ({ kind: "addresses_model", message: "tells the model when to call tools", pattern })),
  ...[
    words(
      "(?:include|send|pass|read|copy|attach|provide|share|append|put|full|entire|whole|complete)",
      "(?:(?:the|our|this|your|of|full|entire|whole|complete|previous)\\s{1,8}){0,4}(?:conversation|chat)",
      "(?:history|transcript|log|so\\s{1,8}far)",
    ),
    /(?:~|\$HOME|\/home\/[^\s/]{1,64}|\/root)\/\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|config\/gcloud)\b/i,
    /\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)\b/i,
    words(
      "(?:send|post|upload|forward|exfiltrate|leak)",
      "(?:(?:the|all|any|your|their|its|contents?|of|user['’]s)\\s{1,8}){1,4}(?:conversation|secrets?|passwords?|credentials?|api\\s{1,8}keys?|tokens?|environment\\s{1,8}variables?)",
    ),
  ].map((pattern): Wording => ({ kind: "addresses_model", message: "asks about the conversation or about secrets", pattern })),
  { kind: "names_tools", message: "names tools of a pool", pattern: /\bmcp__[a-z0-9_]{1,64}/i },
  { kind: "names_tools", message: "names tools of a pool", pattern: /\b(?:dis)?connect_mcp\b/i },
  {
    kind: "names_tools",
    message: "speaks of another program's own tools",
    pattern: /\b(?:your|the|built-in)\s{1,8}(?:bash|shell|read|write|edit|webfetch|websearch|grep|glob|task)\s{1,8}tools?\b/i,
  },
  {
    kind: "names_tools",
    message: "speaks of other servers",
    pattern:
      /\bother\s{1,8}(?:mcp\s{1,8})?(?:servers?['’]?|mcps?)\s{1,8}(?:tools?|functions?)\b|\binstead\s{1,8}of\s{1,8}(?:any\s{1,8})?other\s{1,8}(?:mcp|servers?)\b/i,
  },
  {
    kind: "markup",
    message: "holds markup that models take for instructions",
    pattern: /<!--|^\[\/\/\]:\s?#|^\[comment\]:/im,
  },
  {
    kind: "markup",
    message: "holds markup that models take for instructions",
    pattern:
      /<\/?(?:system|assistant|user|human|developer|important|instructions?|secret|tool_call|tool_result|function_calls?|system-reminder|admin)(?:\s[^<>]{0,200})?>|<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>|^#{1,4}\s{0,4}(?:system|assistant|user)\s{0,4}:|^(?:system|assistant|human)\s{0,4}:\s/im,
  },
  {
    kind: "markup",
    message: "holds markup that loads or runs something",
    pattern:
      /<(?:script|iframe|object|embed|img|svg|link|image)\s[^<>]{0,200}?(?:src|href|data)\s{0,4}=\s{0,4}["']?(?:https?:)?\/\/|!\[[^\]\n]{0,200}\]\(\s{0,4}https?:/i,
  },
  {
    kind: "link",
    message: "holds an address that carries data or code",
    pattern: /\b(?:javascript|vbscript):[^\s"'`]{1,200}|\bdata:[a-z]{1,32}\/[a-z0-9.+-]{1,64};base64,[a-z0-9+/]{24}/i,
  },
  {
    kind: "link",
    message: "holds an address with a user name or a disguised host",
    pattern: /\bhttps?:\/\/(?:[^\s/@"'<>`]{1,200}@[^\s/@]|xn--|[^\s/"'<>`]{1,200}\.xn--)/i,
  },
  {
    kind: "encoded",
    message: "holds a run of escapes instead of text",
    pattern: /(?:\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|%[0-9a-f]{2}|&#x?[0-9a-f]{1,6};){12}/i,
  },
];

/** As base64 is written, longer than a digest; or with the signs of its other alphabet, where names have them too. */
const BLOB = /[A-Za-z0-9+/]{120}|[A-Za-z0-9_-]{120}/g;

export function encodedIn(text: string): number | undefined {
  for (const { 0: run, index } of text.matchAll(BLOB)) {
    // Paths and long names have words between their signs, encoded text has not.
    const worded = run.split(/[/_-]/).filter((part) => /^[A-Za-z]+$/.test(part)).length;
    if (worded < 4 || /^[A-Za-z0-9+]*$/.test(run)) return index;
  }
  return undefined;
}
