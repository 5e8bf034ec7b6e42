import { expect, it } from 'vitest';
import { migrationIssues } from './migration-issues.ts';

const BREAK = '\n--> statement-breakpoint\n';

it.each([
  'CREATE INDEX "orders_by_day" ON "orders" USING btree ("day");',
  'CREATE UNIQUE INDEX "orders_by_day" ON "orders" USING btree ("day");',
  'DROP INDEX "orders_by_day";',
  'ALTER TABLE "orders" ADD CONSTRAINT "day_fk" FOREIGN KEY ("day") REFERENCES "days"("id");',
  'ALTER TABLE "orders" ADD COLUMN "day" date NOT NULL;',
  'ALTER TABLE "orders" ALTER COLUMN "day" SET NOT NULL;',
  'ALTER TABLE "orders" ALTER COLUMN "day" SET DATA TYPE timestamp;',
  'ALTER TABLE "orders" RENAME COLUMN "day" TO "date";',
  'ALTER TABLE "orders" ADD CONSTRAINT "day_key" UNIQUE ("day");',
  'ALTER TABLE "orders" ADD UNIQUE ("day");',
  'ALTER TABLE "orders" ADD PRIMARY KEY ("day");',
  'ALTER TABLE "orders" ADD CHECK ("day" > now());',
  'ALTER TABLE "orders" ADD COLUMN "day" date UNIQUE;',
  'ALTER TABLE "orders" ADD COLUMN "part" double precision DEFAULT random() NOT NULL;',
  'ALTER TABLE "orders" ADD COLUMN "key" uuid DEFAULT gen_random_uuid();',
  'ALTER TABLE "orders" ADD COLUMN "day" timestamptz DEFAULT clock_timestamp();',
  `ALTER TABLE "orders" ADD COLUMN "number" bigint DEFAULT nextval('numbers');`,
  'ALTER TABLE "orders" ADD COLUMN "number" serial;',
  'ALTER TABLE "orders" ADD COLUMN "number" bigserial NOT NULL;',
  'ALTER TABLE "orders" ADD COLUMN "number" bigint GENERATED ALWAYS AS IDENTITY (sequence name "numbers");',
  'ALTER TABLE "orders" ADD COLUMN "late" boolean GENERATED ALWAYS AS ("day" < "due") STORED;',
  'UPDATE "orders" SET "day" = "created_at";',
  'UPDATE "orders" SET "day" = "created_at" WHERE "day" IS NULL;',
  'DELETE FROM "orders";',
  'WITH "old" AS (SELECT "id" FROM "orders") DELETE FROM "orders" USING "old";',
  'TRUNCATE "orders";',
  `DO $$ BEGIN UPDATE "orders" SET "day" = now(); END $$;`,
  // Each action and each statement counts, also those that are written together.
  'ALTER TABLE "orders" ADD COLUMN "day" date NOT NULL, ADD COLUMN "due" date DEFAULT now();',
  'ALTER TABLE "orders" ADD COLUMN "day" date; DROP TABLE "orders";',
  // It would hold the lock of ADD CONSTRAINT while it reads every row.
  [
    '-- contract: nothing stores null since 1.4\nALTER TABLE "orders" ADD CONSTRAINT "day_check" CHECK ("day" IS NOT NULL) NOT VALID;',
    'ALTER TABLE "orders" VALIDATE CONSTRAINT "day_check";',
  ].join(BREAK),
  // Without a transaction around it, it could not be applied again.
  'CREATE INDEX CONCURRENTLY "orders_by_day" ON "orders" USING btree ("day");',
  [
    '-- contract: nothing needs it since 1.4\nDROP INDEX CONCURRENTLY IF EXISTS "a";',
    'ALTER TABLE "orders" ADD COLUMN "day" date;',
  ].join(BREAK),
  'ALTER TABLE "orders" ALTER "day" TYPE timestamp;',
  'ALTER TABLE "orders" SET UNLOGGED;',
  'ALTER TABLE "orders" ENABLE ROW LEVEL SECURITY;',
  'ALTER TABLE "orders" ADD COLUMN "day" "date" DEFAULT (random()) NOT NULL;',
  'INSERT INTO "days" SELECT "day" FROM "orders";',
  'MERGE INTO "orders" USING "days" ON true WHEN MATCHED THEN DELETE;',
  'CLUSTER "orders" USING "orders_by_day";',
  'VACUUM FULL "orders";',
  'REINDEX TABLE "orders";',
  'LOCK TABLE "orders";',
  'REVOKE ALL ON "orders" FROM public;',
  'CREATE VIEW "late" AS SELECT * FROM "orders";',
  'SET lock_timeout = 0;',
  'CREATE TABLE IF NOT EXISTS "orders" ("id" text);',
  'CREATE TABLE "late" PARTITION OF "orders" DEFAULT;',
  'CREATE UNLOGGED TABLE "days" ("id" text);',
  ['CREATE TABLE "days" ("id" text);', 'ALTER TABLE other."days" ADD UNIQUE ("id");'].join(BREAK),
  'ALTER INDEX "orders_by_day" SET (fillfactor = 10);',
])('a migration may not stop the service, or the code before it: %s', async (sql) => {
  expect(await migrationIssues(sql, [])).toHaveLength(1);
});

it.each([
  'ALTER TABLE "orders" ADD COLUMN "day" date;',
  'ALTER TABLE "orders" ADD COLUMN "day" date DEFAULT now() NOT NULL;',
  'ALTER TABLE "orders" ADD COLUMN "day" date NOT NULL DEFAULT now();',
  'ALTER TABLE "orders" VALIDATE CONSTRAINT "day_check";',
  ['CREATE TABLE "days" ("id" text NOT NULL);', 'CREATE INDEX "by_id" ON "days" USING btree ("id");'].join(BREAK),
  [
    'DROP INDEX CONCURRENTLY IF EXISTS "orders_by_day";',
    'CREATE INDEX CONCURRENTLY "orders_by_day" ON "orders" USING btree ("day");',
  ].join(BREAK),
  [
    'ALTER TABLE "orders" VALIDATE CONSTRAINT "day_check";',
    'ALTER TABLE "orders" VALIDATE CONSTRAINT "due_check";',
  ].join(BREAK),
  'ALTER TABLE "orders" ALTER COLUMN "day" DROP NOT NULL;',
  `ALTER TABLE "orders" ADD COLUMN "note" text DEFAULT 'DROP TABLE "orders"; random()' NOT NULL;`,
  `ALTER TABLE "orders" ADD COLUMN "parts" jsonb DEFAULT '{}'::jsonb NOT NULL;`,
  'CREATE TABLE "days" ("id" uuid PRIMARY KEY DEFAULT gen_random_uuid(), "number" serial UNIQUE);',
  'CREATE FUNCTION "clear"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\nDELETE FROM "orders"; RETURN NULL;\nEND $$;',
])('a migration may add: %s', async (sql) => {
  expect(await migrationIssues(sql, [])).toEqual([]);
});

it.each([
  'ALTER TABLE "orders" DROP COLUMN "day";',
  'ALTER TABLE "orders" DROP CONSTRAINT "orders_pk";',
  'ALTER TABLE "orders" ALTER COLUMN "day" DROP DEFAULT;',
  'ALTER TABLE "orders" ADD CHECK ("size" < 10) NOT VALID;',
  'ALTER TABLE "orders" ADD CONSTRAINT "day_not_null" NOT NULL "day" NOT VALID;',
  'ALTER TABLE "orders" ADD CONSTRAINT "day_fk" FOREIGN KEY ("day") REFERENCES "days"("id") NOT VALID;',
  'ALTER TABLE "orders" ADD CONSTRAINT "day_key" UNIQUE USING INDEX "orders_by_day";',
  'ALTER TABLE "orders" ADD PRIMARY KEY USING INDEX "orders_by_day";',
  'DROP TABLE "orders";',
  'DROP TRIGGER "a" ON "orders";',
  'DROP FUNCTION "a"();',
  'DROP INDEX CONCURRENTLY IF EXISTS "orders_by_day";',
  [
    'DROP INDEX CONCURRENTLY IF EXISTS "day_key";',
    'CREATE UNIQUE INDEX CONCURRENTLY "day_key" ON "orders" USING btree ("day");',
  ].join(BREAK),
  'CREATE TRIGGER "a" BEFORE UPDATE ON "orders" FOR EACH ROW EXECUTE FUNCTION "b"();',
  'CREATE OR REPLACE FUNCTION "a"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;',
])('only a contract may take away or refuse: %s', async (sql) => {
  expect(await migrationIssues(sql, [])).toEqual([expect.stringContaining('-- contract: <why>')]);
  expect(await migrationIssues(`-- contract: no deployed code needs it\n${sql}`, [])).toEqual([]);
});

it('only a contract may build an index anew that an earlier migration has built', async () => {
  const again = [
    'DROP INDEX CONCURRENTLY IF EXISTS "orders_by_day";',
    'CREATE INDEX CONCURRENTLY "orders_by_day" ON "orders" USING btree ("day");',
  ].join(BREAK);
  const earlier = 'CREATE UNIQUE INDEX "orders_by_day" ON "orders" USING btree ("day");';
  expect(await migrationIssues(again, [earlier])).toEqual([expect.stringContaining('-- contract: <why>')]);
});

it('a statement that PostgreSQL cannot read is refused', async () => {
  expect(await migrationIssues('ALTER TABLE "orders" ADD day date UNIQ;', [])).toEqual([
    expect.stringContaining('syntax error'),
  ]);
});
