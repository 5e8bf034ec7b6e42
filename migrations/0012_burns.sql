CREATE TABLE "burn_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"erc_standard" text NOT NULL,
	"from" text NOT NULL,
	"token_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"status" text NOT NULL,
	"tx_hash" text,
	"burn_gas_used" text,
	"total_fee_native" numeric,
	"native_price_usd" double precision,
	"total_fee_usd" double precision,
	"native_price_krw" double precision,
	"total_fee_krw" double precision,
	"error_message" text,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "burn_orders" ADD CONSTRAINT "burn_orders_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "burn_orders_by_account" ON "burn_orders" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "burn_orders_by_status" ON "burn_orders" USING btree ("corporate_account_id","status","id");--> statement-breakpoint
CREATE INDEX "burn_orders_by_contract" ON "burn_orders" USING btree ("corporate_account_id","contract_address","id");--> statement-breakpoint
CREATE INDEX "burn_orders_by_holder" ON "burn_orders" USING btree ("corporate_account_id",lower("from"),"id");--> statement-breakpoint
CREATE INDEX "burn_orders_by_token" ON "burn_orders" USING btree ("contract_address","token_id","id");--> statement-breakpoint
CREATE INDEX "burn_orders_by_tx" ON "burn_orders" USING btree ("tx_hash");--> statement-breakpoint
CREATE INDEX "burn_orders_unfinished" ON "burn_orders" USING btree ("updated_at") WHERE "burn_orders"."status" in ('PENDING', 'PROCESSING', 'SENT');--> statement-breakpoint
CREATE INDEX "transfer_orders_by_token" ON "transfer_orders" USING btree ("contract_address","token_id","id");