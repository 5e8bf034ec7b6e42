ALTER TABLE "transactions" RENAME TO "old_transactions";--> statement-breakpoint
ALTER TABLE "old_transactions" RENAME CONSTRAINT "transactions_pkey" TO "old_transactions_pkey";--> statement-breakpoint
ALTER INDEX "transactions_operation" RENAME TO "old_transactions_operation";--> statement-breakpoint
ALTER INDEX "transactions_nonce" RENAME TO "old_transactions_nonce";--> statement-breakpoint
ALTER INDEX "transactions_settlement" RENAME TO "old_transactions_settlement";--> statement-breakpoint
ALTER INDEX "transactions_unfinished" RENAME TO "old_transactions_unfinished";--> statement-breakpoint
DROP INDEX "minting_orders_occupancy";--> statement-breakpoint
CREATE UNIQUE INDEX "minting_orders_occupancy" ON "minting_orders" USING btree ("metadata_id") WHERE erc_standard = '721' and status not in ('FAILED', 'CANCELLED');--> statement-breakpoint
CREATE TABLE "attempts" (
	"transaction_id" text NOT NULL,
	"number" integer NOT NULL,
	"nonce" bigint NOT NULL,
	"hash" text NOT NULL,
	"raw" text,
	"purpose" text NOT NULL,
	"gas" bigint,
	"max_fee_per_gas" numeric(78, 0),
	"max_priority_fee_per_gas" numeric(78, 0),
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "attempts_transaction_id_number_pk" PRIMARY KEY("transaction_id","number"),
	CONSTRAINT "attempts_hash_unique" UNIQUE("hash")
);--> statement-breakpoint
CREATE TABLE "lanes" (
	"chain_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"floor" bigint DEFAULT 0 NOT NULL,
	"looks" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"bodies_read_to" bigint,
	"in_flight_window" integer,
	"state" text DEFAULT 'ok' NOT NULL,
	"order_id" text,
	"reason" text,
	"since" timestamp (3) with time zone,
	"driven_at" timestamp (3) with time zone,
	CONSTRAINT "lanes_chain_id_wallet_address_pk" PRIMARY KEY("chain_id","wallet_address")
);--> statement-breakpoint
CREATE TABLE "transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"order_id" text NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"state" text NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"nonce" bigint,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"hold_reason" text,
	"hold_detail" text,
	"held_since" timestamp (3) with time zone,
	"not_before_block" bigint,
	"cancel_requested_at" timestamp (3) with time zone,
	"refusal" text,
	"tx_hash" text,
	"block_number" bigint,
	"block_hash" text,
	"is_final" boolean DEFAULT false NOT NULL,
	"endings" integer DEFAULT 0 NOT NULL,
	"batch_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lanes_not_ok" ON "lanes" USING btree ("since") WHERE "lanes"."state" <> 'ok';--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_order" ON "transactions" USING btree ("kind","order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_nonce" ON "transactions" USING btree ("chain_id","wallet_address","nonce");--> statement-breakpoint
CREATE INDEX "transactions_waiting" ON "transactions" USING btree ("chain_id","wallet_address","next_try_at") WHERE "transactions"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "transactions_signed" ON "transactions" USING btree ("chain_id","wallet_address","nonce") WHERE "transactions"."state" = 'signed';--> statement-breakpoint
CREATE INDEX "transactions_not_final" ON "transactions" USING btree ("chain_id","wallet_address","block_number") WHERE "transactions"."state" = 'confirmed' and not "transactions"."is_final";--> statement-breakpoint
CREATE INDEX "transactions_unfinished" ON "transactions" USING btree ("updated_at") WHERE "transactions"."state" in ('waiting', 'signed');--> statement-breakpoint
CREATE INDEX "transactions_batch" ON "transactions" USING btree ("batch_id");
