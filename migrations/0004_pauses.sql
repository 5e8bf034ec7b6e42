CREATE TABLE "paused_chains" (
	"chain_id" text PRIMARY KEY NOT NULL,
	"paused_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_corporate_account_id_corporate_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "corporate_accounts" ADD COLUMN "paused_at" timestamp (3) with time zone;