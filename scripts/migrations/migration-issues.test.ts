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
  'ALTER TABLE "orders" DROP COLUMN "day";',
  'DROP TABLE "orders";',
  'DROP FUNCTION "day_of"(text);',
  'DROP TRIGGER "orders_by_day" ON "orders";',
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
    'ALTER TABLE "orders" ADD CONSTRAINT "day_check" CHECK ("day" IS NOT NULL) NOT VALID;',
    'ALTER TABLE "orders" VALIDATE CONSTRAINT "day_check";',
  ].join(BREAK),
  // Without a transaction around it, it could not be applied again.
  'CREATE INDEX CONCURRENTLY "orders_by_day" ON "orders" USING btree ("day");',
  ['DROP INDEX CONCURRENTLY IF EXISTS "a";', 'ALTER TABLE "orders" ADD COLUMN "day" date;'].join(BREAK),
])('a migration may not stop the service, or the code before it: %s', (sql) => {
  expect(migrationIssues(sql)).toHaveLength(1);
});

it.each([
  'ALTER TABLE "orders" ADD COLUMN "day" date;',
  'ALTER TABLE "orders" ADD COLUMN "day" date DEFAULT now() NOT NULL;',
  'ALTER TABLE "orders" ADD COLUMN "day" date NOT NULL DEFAULT now();',
  'ALTER TABLE "orders" ADD CONSTRAINT "day_check" CHECK ("day" IS NOT NULL) NOT VALID;',
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
  'ALTER TABLE "orders" ADD CHECK ("day" IS NOT NULL) NOT VALID;',
  'ALTER TABLE "orders" ADD CONSTRAINT "day_key" UNIQUE USING INDEX "orders_by_day";',
  'ALTER TABLE "orders" ADD PRIMARY KEY USING INDEX "orders_by_day";',
  'ALTER TABLE "orders" DROP CONSTRAINT "day_check";',
  'ALTER TABLE "orders" ALTER COLUMN "day" DROP NOT NULL;',
  `ALTER TABLE "orders" ADD COLUMN "note" text DEFAULT 'DROP TABLE "orders"; random()' NOT NULL;`,
  `ALTER TABLE "orders" ADD COLUMN "parts" jsonb DEFAULT '{}'::jsonb NOT NULL;`,
  'CREATE TABLE "days" ("id" uuid PRIMARY KEY DEFAULT gen_random_uuid(), "number" serial UNIQUE);',
  'CREATE FUNCTION "clear"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\nDELETE FROM "orders"; RETURN NULL;\nEND $$;',
  '-- contract: nothing has read it since 1.4\nALTER TABLE "orders" DROP COLUMN "day";',
  '-- contract: nothing has fired it since 1.4\nDROP TRIGGER "a" ON "orders";\n--> statement-breakpoint\nDROP FUNCTION "a"();',
])('a migration may add, and take away what is unused: %s', (sql) => {
  expect(migrationIssues(sql)).toEqual([]);
});
