CREATE TABLE "relayer_wallets" (
	"address" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"secret_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"replaced_at" timestamp (3) with time zone,
	CONSTRAINT "relayer_wallets_secret_id_unique" UNIQUE("secret_id")
);
--> statement-breakpoint
DROP INDEX "forward_requests_open";--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "erc_standard" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "to" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "token_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "amount" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "account_limits" ADD COLUMN "notified" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "forward_requests" ADD COLUMN "purpose" text DEFAULT 'call' NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ADD COLUMN "purpose" text DEFAULT 'transfer' NOT NULL;--> statement-breakpoint
ALTER TABLE "relayer_wallets" ADD CONSTRAINT "relayer_wallets_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "relayer_wallets_by_account" ON "relayer_wallets" USING btree ("corporate_account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "relayer_wallets_current" ON "relayer_wallets" USING btree ("corporate_account_id") WHERE "relayer_wallets"."replaced_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "forward_requests_open" ON "forward_requests" USING btree ("chain_id","signer_address","forwarder_address","nonce","purpose") WHERE "forward_requests"."state" = 'open';