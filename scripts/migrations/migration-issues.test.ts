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
  '-- contract: nothing has read it since 1.4\nALTER TABLE "orders" DROP COLUMN "day";',
])('a migration may add, and take away what is unused: %s', (sql) => {
  expect(migrationIssues(sql)).toEqual([]);
});
