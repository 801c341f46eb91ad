// The words by which a proposal is made. A word that is missing here costs a stricter proposal than needed and nothing else:
// whatever is not known to look only is proposed as `write`.

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Verbs that only look. `query`, `resolve`, `check`, `verify`, `show` and `lint` are not here: a query may change data, the others settle, mark, pop up and mend. */
export const LOOK = set(
  "get list read search find view describe lookup count inspect preview explain compare diff stat grep glob retrieve analyze " +
    "analyse summarize validate ls head tail whoami help ping echo",
);

/** Verbs that change something, wherever they stand in a name: also behind a verb that looks (`get_or_create_label`). */
export const CHANGE = set(
  "create delete update write edit remove add insert put modify rename replace append prepend upsert purge wipe save enable " +
    "disable cancel terminate kill revoke grant overwrite erase destroy unlock approve reject reset restore clear drop apply " +
    "install uninstall move manage mutate set unset upload import export restart reboot shutdown truncate archive unarchive " +
    "submit register unregister assign unassign subscribe unsubscribe start stop pause resume rollback revert toggle",
);

/** The same verbs' nouns are common: they count only where no verb that looks stands before them (`get_data_set`). */
export const CHANGE_OR_NOUN = set("set import export archive reset start stop put drop head restore register");

/** Verbs that leave the machine, spend, or run what they are given, wherever they stand. */
export const REACH = set(
  "send reply forward broadcast notify tweet publish navigate goto browse crawl scrape download execute exec eval evaluate bash " +
    "powershell ssh spawn invoke deploy pay purchase charge refund buy sell transfer fetch curl web website internet unsafe",
);

/** Verbs and nouns: they count only where no verb that looks stands before them (`get_run`, `list_messages`). */
export const REACH_OR_NOUN = set(
  "mail email message sms post push call dial share run command process script code shell terminal http open visit browser " +
    "webhook invite chat launch trigger dispatch clone sync pull",
);

/** Other verbs: with one of these before it, a verb that looks is a noun (`merge_list`, `test_search`). */
export const OTHER_VERBS = set(
  "query check resolve verify show lint test build make merge commit checkout rebase stash fork tag label lock close mark convert generate transform format fix " +
    "migrate copy take record fill click type press drag hover select handle wait watch accept decline request order book " +
    "schedule use load unload refresh rebuild reindex index cache scan audit connect disconnect login logout auth setup init " +
    "configure interact respond give draft upgrade scale patch batch do complete force end kick ban mute",
);

/** Names of arguments that hold an address the tool may go to. */
export const ADDRESS_ARGUMENT = set("url urls uri uris href website webpage webhook recipient recipients");
/** Names of arguments that hold something to be run. */
export const PROGRAM_ARGUMENT = set("command commands cmd shell script javascript js code program executable snippet");
/** Names of arguments in a language that can also change things. */
export const STATEMENT_ARGUMENT = set("sql dql cypher statement statements mutation gremlin pipeline");
/** Names of arguments that choose what a tool does; their choices are read as names are. */
export const CHOOSING_ARGUMENT = set("action actions operation operations op method mode command subcommand verb task");
