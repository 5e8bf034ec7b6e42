/** What a statement must not do, because the code of the deployment before still runs, and under load. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY)/i, 'stops all writes while it builds: .concurrently() in the schema'],
  [/^DROP INDEX (?!CONCURRENTLY)/i, 'waits for every query and stops those behind it: DROP INDEX CONCURRENTLY'],
  [
    /\bADD CONSTRAINT\b(?!.*\bNOT VALID\b)/is,
    'reads every row under a lock: NOT VALID, then VALIDATE CONSTRAINT in a later one',
  ],
  [/\bADD COLUMN\b.*\bNOT NULL\b(?!.*\bDEFAULT\b)(?<!\bDEFAULT\b.*)/is, 'lets no earlier code insert: a default'],
  [/\bSET NOT NULL\b/i, 'reads every row under a lock, and earlier code may store null: a CHECK that is NOT VALID'],
  [/\bALTER COLUMN\b.*\bTYPE\b/is, 'writes every row anew under a lock: a new column'],
  [/\bRENAME\b/i, 'hides what earlier code names: a new column or table'],
  [/^DROP TABLE\b|\bDROP COLUMN\b|\bDROP DEFAULT\b|\bDROP TYPE\b/i, 'takes away what earlier code uses'],
];

/** A migration that begins with this takes away what no deployed code uses any more, and may break the last rule. */
const CONTRACT = /^-- contract: \S/;

/**
 * Why a migration could not be applied while the code before it runs: it may add, and take away only what has been unused since an earlier deployment.
 * @param sql As drizzle-kit writes it. What it does to tables that it creates is free.
 */
export function migrationIssues(sql: string): string[] {
  const statements = sql.split('--> statement-breakpoint').map((text) => text.replaceAll(/^--.*$/gm, '').trim());
  const created = new Set(statements.flatMap((text) => /^CREATE TABLE "(\w+)"/i.exec(text)?.[1] ?? []));
  const rules = CONTRACT.test(sql) ? RULES.slice(0, -1) : RULES;
  const issues = statements.flatMap((text) => {
    const table = /\bON "(\w+)"|^ALTER TABLE "(\w+)"/i.exec(text);
    if (created.has(table?.[1] ?? table?.[2] ?? '')) return [];
    return rules.flatMap(([pattern, why]) => (pattern.test(text) ? [`${firstLine(text)}: ${why}`] : []));
  });
  return [...issues, ...concurrencyIssues(statements)];
}

/** A migration with an index that is built concurrently has no transaction: applied again after it has failed half way, it must succeed. */
function concurrencyIssues(statements: readonly string[]): string[] {
  const isBuilding = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?"(\w+)"/i;
  if (!statements.some((text) => /\bINDEX CONCURRENTLY\b/i.test(text))) return [];
  return statements.flatMap((text, index) => {
    if (/^DROP INDEX CONCURRENTLY IF EXISTS /i.test(text)) return [];
    const name = isBuilding.exec(text)?.[1];
    if (name === undefined) return [`${firstLine(text)}: belongs in a migration without concurrent indexes`];
    const before = statements[index - 1] ?? '';
    return before === `DROP INDEX CONCURRENTLY IF EXISTS "${name}";`
      ? []
      : [
          `${firstLine(text)}: a build that failed leaves an invalid index: DROP INDEX CONCURRENTLY IF EXISTS "${name}"; before it`,
        ];
  });
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
