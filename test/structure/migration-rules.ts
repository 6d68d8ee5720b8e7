/** The facts about a migration that the rules need. */
export interface MigrationText {
  readonly parts: readonly string[];
  readonly servesFrom?: string;
}

interface Statement {
  /** Without comments and literals, in lower case. */
  readonly text: string;
  /** Names that this migration has created before, which no program uses yet. */
  readonly created: ReadonlySet<string>;
  /** All words of the migrations before this one: names of tables, columns, functions, variables. */
  readonly words: ReadonlySet<string>;
}

type Rule = (statement: Statement) => boolean;

/**
 * The statements of a migration that are not allowed. One that expands contains only statements that change nothing for
 * programs of the release before. One that contracts may also remove. Both must be short: except for an index, neither reads or
 * writes a table that exists while it is locked. `words` are those of the migrations before; the function adds those of this one.
 */
export function forbiddenIn(migration: MigrationText, words: Set<string>): string[] {
  const created = new Set<string>();
  const rules = migration.servesFrom === undefined ? expanding : [...expanding, ...contracting];
  const wrong = migration.parts.flatMap(statementsOf).filter((text) => {
    const isAllowed = rules.some((rule) => rule({ text, created, words }));
    const [, name] = creates.exec(text) ?? [];
    if (name !== undefined) created.add(name);
    return !isAllowed;
  });
  for (const word of wordsOf(migration.parts)) words.add(word);
  return wrong;
}

/** The statements of a text, without comments and literals, in lower case, with single spaces. */
export function statementsOf(sql: string): string[] {
  const plain = sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g, (token) =>
    /^--|^\/\*/.test(token) ? ' ' : "''",
  );
  return plain.split(';').flatMap((statement) => {
    const text = statement.replaceAll(/\s+/g, ' ').trim().toLowerCase();
    return text === '' ? [] : text;
  });
}

function wordsOf(parts: readonly string[]): string[] {
  const code = parts.join('\n').replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  return code.toLowerCase().match(/\w+/g) ?? [];
}

const creates = /^create (?:unlogged )?(?:table|view|function|procedure|type|sequence|domain) (?!if )(\w+)/;

/** A default that is the same for all rows, so that none has to be written. */
const constant = /(?:''(?: ?:: ?\w+)?|-?\d+(?:\.\d+)?|true|false|null|now\(\)|current_timestamp)/.source;

const column =
  /add column (?:if not exists )?(?<name>\w+) [a-z]\w*(?: precision| varying| with time zone)?(?: ?\([\d, ]+\))?(?:\[\])?/
    .source;

const addedColumn = new RegExp(
  `^alter table (?:only )?\\w+ ${column}(?: null| default ${constant}(?: not null)?| not null default ${constant})?$`,
);

/** The table of a statement was created by the same migration. */
function onNewTable(pattern: RegExp): Rule {
  return ({ text, created }) => created.has(pattern.exec(text)?.[1] ?? '');
}

const expanding: readonly Rule[] = [
  ({ text, words, created }) => {
    const [, name] = creates.exec(text) ?? [];
    return name !== undefined && !words.has(name) && referencesAreHarmless(text, created);
  },
  /* A column with the name of another column or variable can make a statement ambiguous that joins the two. */
  ({ text, words }) => {
    const name = addedColumn.exec(text)?.groups?.['name'];
    return name !== undefined && !words.has(name);
  },
  onNewTable(/^alter table (?:only )?(\w+) /),
  onNewTable(/^create (?:unique )?index \w+ on (\w+)/),
  onNewTable(/^insert into (\w+)/),
  onNewTable(/^create trigger .*? on (\w+) /),
  /* Such as one that fills a new column from an old one. */
  onNewTable(/^create trigger .* execute function (\w+)\(/),
  ({ text }) => /^comment on /.test(text),
  /* Writers wait until it is built; units keep what they count meanwhile. */
  ({ text }) => /^create index \w+ on \w+/.test(text),
];

/** Programs of the release before delete rows without knowing the new table. */
function referencesAreHarmless(text: string, created: ReadonlySet<string>): boolean {
  return [...text.matchAll(/references (\w+)((?:(?!references)[^,])*)/g)].every(
    ([, table = '', options = '']) =>
      created.has(table) || creates.exec(text)?.[1] === table || /on delete (cascade|set null)/.test(options),
  );
}

const contracting: readonly Rule[] = [
  ({ text }) => /^drop (table|view|function|procedure|trigger|type|sequence|domain|index) /.test(text),
  ({ text }) => /^create or replace (function|procedure|view|trigger) /.test(text),
  ({ text }) => /^create trigger /.test(text),
  ({ text }) => /^alter table (only )?\w+ (drop|rename) (?:(?!, (add|alter|set) ).)*$/.test(text),
  ({ text }) => /^alter (view|function|type|sequence) .* rename to \w+$/.test(text),
  ({ text }) =>
    /^alter table (only )?\w+ alter (column )?\w+ (drop (default|not null)|set default .*)$/.test(text),
  ({ text }) => /^alter table (only )?\w+ add constraint \w+ (check|foreign key) .* not valid$/.test(text),
  ({ text }) => /^alter table (only )?\w+ validate constraint \w+$/.test(text),
];
