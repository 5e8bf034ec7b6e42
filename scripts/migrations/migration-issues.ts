type Rule = readonly [RegExp, string];

/** What a statement must not do, because the code of the deployment before still runs, and under load. */
const RULES: readonly Rule[] = [
  [/^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)/i, 'stops all writes while it builds: .concurrently() in the schema'],
  [/^DROP INDEX (?!CONCURRENTLY)/i, 'waits for every query and stops those behind it: DROP INDEX CONCURRENTLY'],
  [
    /\bADD (CONSTRAINT|CHECK|FOREIGN KEY|NOT NULL|UNIQUE|PRIMARY KEY|EXCLUDE)\b(?!.* (NOT VALID|USING INDEX)\b)/i,
    'reads every row under a lock: NOT VALID, then VALIDATE CONSTRAINT in a later one; a key USING an INDEX built concurrently in an earlier one',
  ],
  [
    /\bADD (COLUMN |(?=")).* (UNIQUE|PRIMARY KEY|CHECK|REFERENCES)\b/i,
    'reads every row under a lock: the column alone, then its constraint as one of the table',
  ],
  [
    /\bADD (COLUMN |(?="))(?!.* (DEFAULT|\w*serial|GENERATED)\b).* NOT NULL\b/i,
    'lets no earlier code insert: a default',
  ],
  // Functions that are not known to be stable may be volatile:
  // https://www.postgresql.org/docs/18/sql-altertable.html#SQL-ALTERTABLE-NOTES
  [
    /\bADD (COLUMN |(?=")).* (DEFAULT .*\b(?!now\()\w+\(|\w*serial\b|GENERATED .*(IDENTITY|STORED)\b)/i,
    'writes every row anew under a lock: no default, or a constant one, and the code fills it',
  ],
  [/\bSET NOT NULL\b/i, 'reads every row under a lock, and earlier code may store null: a CHECK that is NOT VALID'],
  [/\bALTER (COLUMN )?"\w+" .*\bTYPE\b/i, 'writes every row anew under a lock: a new column'],
  [/\bRENAME\b/i, 'hides what earlier code names: a new column or table'],
  [
    /^(UPDATE|TRUNCATE|DELETE FROM)\b|^WITH\b.*\b(UPDATE|DELETE FROM)\b/i,
    'locks the rows until all are done: the cleanup job, in batches',
  ],
  [/^DO\b/i, 'hides what it does from this check: plain statements'],
];

/**
 * What only a migration that begins with {@link CONTRACT} may do. Without a constraint, earlier code can do what it
 * did.
 */
const TAKES_AWAY: Rule = [/\bDROP (?!INDEX|CONSTRAINT|NOT NULL)/i, 'takes away what earlier code uses'];

/** A migration that begins with this takes away what no deployed code uses any more. */
const CONTRACT = /^-- contract: \S/;

/** What needs a migration without anything else. */
const ALONE: readonly Rule[] = [
  [/\bINDEX CONCURRENTLY\b/i, 'has no transaction'],
  [/\bVALIDATE CONSTRAINT\b/i, 'reads every row, while the others would hold their locks'],
];

/** What must succeed when it is applied again, because a migration without a transaction may have failed half way. */
const CONCURRENT_DROP = /^DROP INDEX CONCURRENTLY (?!IF EXISTS )/i;
const CONCURRENT_BUILD = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?("\w+")/i;

/**
 * Why a migration could not be applied while the code before it runs: it may add, and take away only what has been
 * unused since an earlier deployment.
 * @param sql As drizzle-kit writes it. What it does to tables that it creates is free.
 */
export function migrationIssues(sql: string): string[] {
  const statements = statementsOf(sql);
  const created = new Set(statements.flatMap((text) => /^CREATE TABLE "(\w+)"/i.exec(text)?.[1] ?? []));
  const rules = CONTRACT.test(sql) ? RULES : [...RULES, TAKES_AWAY];
  return statements.flatMap((text, index) => {
    const table = /\bON "(\w+)"|^ALTER TABLE "(\w+)"/i.exec(text);
    const isFree = created.has(table?.[1] ?? table?.[2] ?? '');
    const broken = isFree ? [] : rules.flatMap(([pattern, why]) => (pattern.test(text) ? [why] : []));
    return [...broken, ...companionIssues(text, statements), ...repeatIssues(text, statements[index - 1])].map(
      (why) => `${text}: ${why}`,
    );
  });
}

/**
 * The statements, each on one line, without comments and what is quoted; each action of an ALTER TABLE as a statement
 * of its own.
 */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll('--> statement-breakpoint', ';')
    .replaceAll(/--.*$|\$(\w*)\$[^]*?\$\1\$|'(?:[^']|'')*'/gm, (text) => (text.startsWith('--') ? '' : "''"))
    .split(';')
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .flatMap((text) => {
      const [first = '', ...others] = text.split(/, (?=(?:ADD|ALTER|DROP|RENAME|VALIDATE) )/i);
      const table = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?\S+ /i.exec(first)?.[0];
      return table === undefined ? [text] : [first, ...others.map((action) => `${table}${action}`)];
    });
}

function companionIssues(text: string, statements: readonly string[]): string[] {
  return ALONE.flatMap(([pattern, why]) => {
    const other = pattern.test(text) ? undefined : statements.find((one) => pattern.test(one));
    return other === undefined ? [] : [`belongs in another migration than ${other}, which ${why}`];
  });
}

function repeatIssues(text: string, before: string | undefined): string[] {
  if (CONCURRENT_DROP.test(text)) return ['fails when it is applied again: IF EXISTS'];
  const name = CONCURRENT_BUILD.exec(text)?.[1];
  const drop = `DROP INDEX CONCURRENTLY IF EXISTS ${name}`;
  return name === undefined || before === drop
    ? []
    : [`a build that failed leaves an invalid index: ${drop}; before it`];
}
