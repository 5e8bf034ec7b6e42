import {
  parse,
  type AlterTableCmd,
  type ColumnDef,
  type Constraint,
  type CreateStmt,
  type DropStmt,
  type IndexStmt,
  type Node,
  type RangeVar,
} from 'libpg-query';

/** A migration that begins with this takes away what no deployed code uses, or refuses what none does. */
const CONTRACT = /^-- contract: \S/;
/** How drizzle-kit separates statements. */
const BREAKPOINT = '--> statement-breakpoint';

const NOT_LISTED = 'is not in the list of what a migration may do (scripts/migrations/migration-issues.ts)';
const NEEDS_CONTRACT =
  'takes away what earlier code uses, or refuses what it does: when no deployed code does so, "-- contract: <why>" as the first line';
const CHANGES_ROWS = 'locks the rows until all are done: the cleanup job, in batches';
const WRITES_ROWS = 'writes every row anew under a lock: no default, or a constant one, and the code fills it';
const SCANS =
  'reads every row under a lock: NOT VALID, then VALIDATE CONSTRAINT in a later one; a key USING an INDEX built concurrently in an earlier one';
const READS_ROWS = 'reads every row under a lock: the column alone, then its constraint as one of the table';

/** What is allowed, beside what the functions below allow. */
const HARMLESS = new Set<string | undefined>(['AT_ValidateConstraint', 'AT_DropNotNull']);
const OF_CONTRACTS = new Set<string | undefined>([
  'AT_ColumnDefault',
  'AT_DropColumn',
  'AT_DropConstraint',
  'OBJECT_FUNCTION',
  'OBJECT_TABLE',
  'OBJECT_TRIGGER',
  // They change what the statements of earlier code do.
  'CreateFunctionStmt',
  'CreateTrigStmt',
]);

/** What to do instead: by statement, action of ALTER TABLE and constraint of a column. */
const INSTEAD: Readonly<Record<string, string>> = {
  InsertStmt: CHANGES_ROWS,
  UpdateStmt: CHANGES_ROWS,
  DeleteStmt: CHANGES_ROWS,
  MergeStmt: CHANGES_ROWS,
  TruncateStmt: CHANGES_ROWS,
  RenameStmt: 'hides what earlier code names: a new column or table',
  DoStmt: 'hides what it does from this check: plain statements',
  AT_AlterColumnType: 'writes every row anew under a lock: a new column',
  AT_SetNotNull: 'reads every row under a lock: a CHECK that is NOT VALID',
  CONSTR_IDENTITY: WRITES_ROWS,
  CONSTR_GENERATED: WRITES_ROWS,
  CONSTR_UNIQUE: READS_ROWS,
  CONSTR_PRIMARY: READS_ROWS,
  CONSTR_CHECK: READS_ROWS,
  CONSTR_FOREIGN: READS_ROWS,
};

/** Why some need a migration without anything else. */
const ALONE = {
  concurrent: 'has no transaction',
  validation: 'reads every row, while the others would hold their locks',
} as const;

interface Migration {
  readonly isContract: boolean;
  /** The tables that it creates. */
  readonly tables: ReadonlySet<string>;
  /** The indexes that it drops, if a failed attempt has left them, and builds next. */
  readonly rebuilt: ReadonlySet<string>;
  /** The indexes of the migrations before it. */
  readonly earlierIndexes: ReadonlySet<string>;
}

/**
 * Why a migration could not be applied under load, while the code before it still runs. What is not known to be
 * harmless is an issue.
 * @param sql As drizzle-kit writes it.
 * @param earlier The migrations before it.
 */
export async function migrationIssues(sql: string, earlier: readonly string[]): Promise<string[]> {
  const statements = await statementsOf(sql).catch((error: unknown) => String(error));
  if (typeof statements === 'string') return [statements];
  const before = await Promise.all(earlier.map(statementsOf));
  const migration: Migration = {
    isContract: CONTRACT.test(sql),
    tables: new Set(
      statements.flatMap(({ node }) => ('CreateStmt' in node ? (nameOf(node.CreateStmt.relation) ?? []) : [])),
    ),
    rebuilt: new Set(
      statements.flatMap(({ node }, index) => {
        const dropped = droppedIndex(statements[index - 1]?.node);
        return dropped === builtIndex(node) ? (dropped ?? []) : [];
      }),
    ),
    earlierIndexes: new Set(before.flat().flatMap(({ node }) => builtIndex(node) ?? [])),
  };
  const steps = statements.flatMap(({ node, text }) =>
    actionsOf(node).map((action) => ({
      text,
      alone: aloneOf(action),
      issue:
        'AlterTableCmd' in action ? actionIssue(action.AlterTableCmd, node, migration) : issueOf(action, migration),
    })),
  );
  return steps.flatMap(({ text, alone, issue }) => {
    const other = steps.find((step) => step.alone !== undefined && step.alone !== alone);
    const companion =
      other?.alone === undefined
        ? undefined
        : `belongs in another migration than ${other.text}, which ${ALONE[other.alone]}`;
    return [issue, companion].flatMap((why) => (why === undefined ? [] : [`${text}: ${why}`]));
  });
}

async function statementsOf(sql: string): Promise<{ node: Node; text: string }[]> {
  const parts = await Promise.all(sql.split(BREAKPOINT).map(async (part) => ({ part, tree: await parse(part) })));
  return parts.flatMap(({ part, tree }) =>
    // Places are in bytes.
    (tree.stmts ?? []).flatMap(({ stmt, stmt_location: start = 0, stmt_len: length = Infinity }) => {
      const text = Buffer.from(part)
        .subarray(start, start + length)
        .toString();
      return stmt === undefined ? [] : [{ node: stmt, text: text.replaceAll(/\s+/g, ' ').trim() }];
    }),
  );
}

/** The actions of an ALTER TABLE; any other statement alone. */
function actionsOf(node: Node): readonly Node[] {
  const isAlterTable = 'AlterTableStmt' in node && node.AlterTableStmt.objtype === 'OBJECT_TABLE';
  return isAlterTable ? (node.AlterTableStmt.cmds ?? []) : [node];
}

function aloneOf(action: Node): keyof typeof ALONE | undefined {
  if ('AlterTableCmd' in action && action.AlterTableCmd.subtype === 'AT_ValidateConstraint') return 'validation';
  const isConcurrent =
    ('IndexStmt' in action && action.IndexStmt.concurrent) || ('DropStmt' in action && action.DropStmt.concurrent);
  return isConcurrent === true ? 'concurrent' : undefined;
}

function issueOf(node: Node, migration: Migration): string | undefined {
  if ('CreateStmt' in node) return isPlain(node.CreateStmt) ? undefined : NOT_LISTED;
  if ('IndexStmt' in node) return indexIssue(node.IndexStmt, migration);
  if ('DropStmt' in node) return dropIssue(node.DropStmt, migration);
  if ('CreateFunctionStmt' in node && node.CreateFunctionStmt.replace !== true) return undefined;
  return listedIssue(Object.keys(node)[0], migration);
}

/** Whether a table is new for certain, and no part of another. */
function isPlain({ relation, if_not_exists: mayExist, inhRelations, partbound }: CreateStmt): boolean {
  return mayExist !== true && inhRelations === undefined && partbound === undefined && nameOf(relation) !== undefined;
}

function indexIssue({ idxname = '', relation, concurrent, unique }: IndexStmt, migration: Migration) {
  if (isNew(relation, migration)) return undefined;
  if (concurrent !== true) return 'stops all writes while it builds: .concurrently() in the schema';
  if (!migration.rebuilt.has(idxname)) {
    return `a build that failed leaves an invalid index: DROP INDEX CONCURRENTLY IF EXISTS "${idxname}"; before it`;
  }
  return unique === true ? contractIssue(migration) : undefined;
}

function dropIssue(drop: DropStmt, migration: Migration): string | undefined {
  if (drop.removeType !== 'OBJECT_INDEX') return listedIssue(drop.removeType, migration);
  if (drop.concurrent !== true) return 'waits for every query and stops those behind it: DROP INDEX CONCURRENTLY';
  if (drop.missing_ok !== true) return 'fails when it is applied again: IF EXISTS';
  const name = droppedIndex({ DropStmt: drop }) ?? '';
  const isLeftOver = migration.rebuilt.has(name) && !migration.earlierIndexes.has(name);
  return isLeftOver ? undefined : contractIssue(migration);
}

function actionIssue({ subtype, def }: AlterTableCmd, statement: Node, migration: Migration): string | undefined {
  if (def !== undefined && 'ColumnDef' in def && subtype === 'AT_AddColumn') return columnIssue(def.ColumnDef);
  if (def !== undefined && 'Constraint' in def && subtype === 'AT_AddConstraint') {
    if ('AlterTableStmt' in statement && isNew(statement.AlterTableStmt.relation, migration)) return undefined;
    return isWithoutScan(def.Constraint) ? contractIssue(migration) : SCANS;
  }
  return listedIssue(subtype, migration);
}

function isWithoutScan({ skip_validation: isNotValid, indexname }: Constraint): boolean {
  return isNotValid === true || indexname !== undefined;
}

function columnIssue({ typeName, constraints = [] }: ColumnDef): string | undefined {
  if (/serial\d?$/.test(lastName(typeName?.names) ?? '')) return WRITES_ROWS;
  const all = constraints.map((one) => ('Constraint' in one ? one.Constraint : {}));
  const fallback = all.find(({ contype }) => contype === 'CONSTR_DEFAULT')?.raw_expr;
  if (fallback !== undefined && !isConstant(fallback)) return WRITES_ROWS;
  const issues = all.flatMap(({ contype }) => {
    if (contype === 'CONSTR_NULL' || contype === 'CONSTR_DEFAULT') return [];
    if (contype !== 'CONSTR_NOTNULL') return [insteadOf(contype)];
    return fallback === undefined ? ['lets no earlier code insert: a default'] : [];
  });
  return issues[0];
}

/**
 * Whether an expression is evaluated once for all rows: functions that are not known to be stable may be volatile
 * (https://www.postgresql.org/docs/18/sql-altertable.html#SQL-ALTERTABLE-NOTES).
 */
function isConstant(node: Node): boolean {
  if ('TypeCast' in node) return node.TypeCast.arg !== undefined && isConstant(node.TypeCast.arg);
  if ('A_ArrayExpr' in node) return (node.A_ArrayExpr.elements ?? []).every(isConstant);
  if ('FuncCall' in node) return lastName(node.FuncCall.funcname) === 'now';
  return 'A_Const' in node || 'SQLValueFunction' in node;
}

function contractIssue({ isContract }: Migration): string | undefined {
  return isContract ? undefined : NEEDS_CONTRACT;
}

function listedIssue(what: string | undefined, migration: Migration): string | undefined {
  if (HARMLESS.has(what)) return undefined;
  return OF_CONTRACTS.has(what) ? contractIssue(migration) : insteadOf(what);
}

function insteadOf(what = ''): string {
  return INSTEAD[what] ?? NOT_LISTED;
}

function isNew(table: RangeVar | undefined, { tables }: Migration): boolean {
  return tables.has(nameOf(table) ?? '');
}

/** The name of a table in the schema public that is neither temporary nor unlogged. */
function nameOf({ schemaname = 'public', relpersistence, relname }: RangeVar = {}): string | undefined {
  return schemaname === 'public' && relpersistence === 'p' ? relname : undefined;
}

function builtIndex(node: Node): string | undefined {
  return 'IndexStmt' in node ? node.IndexStmt.idxname : undefined;
}

function droppedIndex(node: Node | undefined): string | undefined {
  if (node === undefined || !('DropStmt' in node) || node.DropStmt.removeType !== 'OBJECT_INDEX') return undefined;
  const [name] = node.DropStmt.objects ?? [];
  return name !== undefined && 'List' in name ? lastName(name.List.items) : undefined;
}

/** The last part of a name, which may begin with a schema. */
function lastName(parts: readonly Node[] = []): string | undefined {
  const last = parts.at(-1);
  return last !== undefined && 'String' in last ? last.String.sval : undefined;
}
