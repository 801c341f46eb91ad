// What a secret looks like wherever it stands: the prefixes that issuers give their tokens, private keys, passwords in addresses,
// and strings too random to be anything a person named. The prefixes are from the issuers' documentation. Pure; positions only.

export interface Range {
  readonly start: number;
  /** Behind the last character. */
  readonly end: number;
}

/** The whole match is the secret, or the group `secret` where there is one. */
const SHAPES: readonly RegExp[] = [
  // Private keys, also with line ends written as \n.
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|$)/g,
  // JSON Web Tokens.
  /\beyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w-]*)?/g,
  // OpenAI, Anthropic, OpenRouter and others; a name such as `sk-learn-server` has no long word.
  /\bsk-(?=[\w-]{0,80}[A-Za-z0-9_]{16})[\w-]{16,}/g,
  // Stripe.
  /\b[sr]k_(?:live|test)_\w{10,}/g,
  // GitHub, GitLab.
  /\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bgl[a-z]{2,6}-[\w-]{20,}/g,
  // Slack; its and Discord's web hooks are secrets as addresses.
  /\bxox[a-z]-[\w-]{10,}|\bxapp-[\w-]{10,}/g,
  /\bhooks\.slack\.com\/services\/(?<secret>[\w/]{20,})|\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/(?<other>[\w-]{20,})/g,
  // AWS, Google.
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b|\bAIza[\w-]{35}|\bya29\.[\w-]{20,}/g,
  // Package registries.
  /\bnpm_[A-Za-z0-9]{30,}|\bpypi-AgE[\w-]{20,}|\bdckr_pat_[\w-]{20,}/g,
  // A short prefix of the issuer's, then one long word: what a person named has short words.
  /\b(?:hf|gsk|r8|figd|sbp|ntn|apify_api|lin_api|lin_oauth|do[opr]_v1|shp(?:at|ca|pa|ss)|phx|sntry[su]|rnd|secret)_(?=[\w-]{0,80}[A-Za-z0-9]{16})[\w-]{20,}/g,
  /\b(?:tvly|fc|pplx|xai|ctx7sk|PMAK|napi)-(?=[\w-]{0,80}[A-Za-z0-9]{16})[\w-]{20,}|\bATATT3[\w=-]{20,}/g,
  // SendGrid, Airtable, Telegram, Discord, Brave, age.
  /\bSG\.[\w-]{16,}\.[\w-]{16,}|\bpat[A-Za-z0-9]{14}\.[a-f0-9]{40,}|\b\d{8,10}:[A-Za-z0-9_-]{35}\b/g,
  /\b[MN][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}|\bBSA[A-Za-z0-9_-]{24,}|\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/g,
  // What a header says of itself.
  /\b(?:Bearer|Basic)\s+(?<secret>(?![a-z]+\b)[A-Za-z0-9._~+/=-]{8,})/gi,
];

export function shapedSecrets(text: string): readonly Range[] {
  return [...SHAPES.flatMap((shape) => matches(text, shape)), ...passwordsInAddresses(text), ...randomWords(text)];
}

function matches(text: string, shape: RegExp): readonly Range[] {
  return [...text.matchAll(shape)].map((match) => {
    const secret = match.groups?.secret ?? match.groups?.other ?? match[0];
    const start = match.index + match[0].lastIndexOf(secret);
    return { start, end: start + secret.length };
  });
}

const WEB = /^(?:https?|wss?|git|ssh|git\+https|git\+ssh|file)$/i;

/** `scheme://user:password@host`; of a lone name before the `@` only what no person is called. */
function passwordsInAddresses(text: string): readonly Range[] {
  const found: Range[] = [];
  for (const match of text.matchAll(/\b([a-z][a-z0-9+.-]{0,30}):\/\/([^\s"'<>]*)/gi)) {
    const [, scheme = "", rest = ""] = match;
    // A web address may hold an @ in its path; a database's password may hold a / that somebody forgot to write as %2F.
    const authority = WEB.test(scheme) ? (/^[^/?#]*/.exec(rest)?.[0] ?? "") : rest;
    const at = authority.lastIndexOf("@");
    if (at === -1) continue;
    const user = authority.slice(0, at);
    const colon = user.indexOf(":");
    const from = match.index + scheme.length + 3;
    if (colon !== -1) found.push({ start: from + colon + 1, end: from + at });
    else if (user.length >= 16 && /\d/.test(user)) found.push({ start: from, end: from + at });
  }
  return found.filter(({ start, end }) => end > start);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Words of letters and digits that no person thought of. Segments of a file's path are never looked at. */
function randomWords(text: string): readonly Range[] {
  if (isPath(text)) return [];
  const words = [...text.matchAll(/[A-Za-z0-9_+=-]{24,}/g)];
  // A slash is a sign of base64 too: what has few of them is also looked at in one piece.
  const whole = /^[A-Za-z0-9_+/=-]{32,}$/.test(text) && text.split("/").length <= 4 ? [{ 0: text, index: 0 }] : [];
  return [...words, ...whole]
    .filter(({ 0: word, index }) => isRandom(word) && !/(?:sha(?:1|256|384|512)[:-]|[@#])$/i.test(text.slice(0, index)))
    .map(({ 0: word, index }) => ({ start: index, end: index + word.length }));
}

/**
 * In a random word the kind of character (small, large, digit) changes at nearly every second step; in names, versions and dates
 * it seldom does. A UUID is mostly the id of a project, forty hexadecimal digits are a Git commit or an address on a chain.
 */
function isRandom(word: string): boolean {
  if (UUID.test(word) || /^(?:0x)?[0-9a-f]{40}$/i.test(word)) return false;
  const kinds = Array.from(word, (sign) => (/[a-z]/.test(sign) ? "a" : /[A-Z]/.test(sign) ? "A" : /\d/.test(sign) ? "1" : "-"));
  const has = new Set(kinds);
  const three = has.has("a") && has.has("A") && has.has("1");
  if (!three && (word.length < 32 || !has.has("1") || !(has.has("a") || has.has("A")))) return false;
  const changes = kinds.filter((kind, at) => at > 0 && kind !== "-" && kinds[at - 1] !== "-" && kind !== kinds[at - 1]).length;
  return changes / (word.length - 1) >= (three ? 0.35 : 0.3);
}

const ROOTS =
  "home|Users|etc|var|run|opt|usr|tmp|mnt|srv|root|private|Library|Applications|Volumes|data|app|secrets|workspace|workspaces|nix|dev|proc|snap|media|bin|c|d";
const PATH = new RegExp(
  `^(?:file:/{0,3})?(?:~|\\.{1,2}|\\$\\{?[A-Za-z_]+\\}?)?[/\\\\](?:(?:${ROOTS})(?:[/\\\\]|$)|.*\\.[A-Za-z0-9]{1,8}$)|^(?:~|\\.{1,2})[/\\\\]|^[A-Za-z]:[/\\\\]|^\\$\\{?[A-Za-z_]+\\}?[/\\\\]`,
);

/** Written as the path of a file: from a root people have, from home, from here, from a drive, or with an extension. */
export function isPath(text: string): boolean {
  return PATH.test(text);
}
