CREATE TABLE "account_limits" (
	"corporate_account_id" text PRIMARY KEY NOT NULL,
	"limits" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "paused_chains" (
	"chain_id" text PRIMARY KEY NOT NULL,
	"paused_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_corporate_account_id_corporate_accounts_id_fk";
--> statement-breakpoint
DROP INDEX "transactions_unfinished";--> statement-breakpoint
ALTER TABLE "corporate_accounts" ADD COLUMN "paused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "spent_wei" numeric(78, 0);--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "spent_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "account_limits" ADD CONSTRAINT "account_limits_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ownership_transfers_by_account" ON "ownership_transfers" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "transactions_spent" ON "transactions" USING btree ("corporate_account_id","chain_id","spent_at") WHERE "transactions"."spent_at" is not null;--> statement-breakpoint
CREATE INDEX "transactions_unfinished" ON "transactions" USING btree ("corporate_account_id","chain_id") WHERE "transactions"."state" in ('waiting', 'signed');