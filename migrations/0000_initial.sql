CREATE TABLE "assets" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"original_file_name" text NOT NULL,
	"s3_key" text NOT NULL,
	"url" text NOT NULL,
	"mime_type" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "assets_s3_key_unique" UNIQUE("s3_key")
);
--> statement-breakpoint
CREATE TABLE "contracts" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"name" text,
	"symbol" text,
	"alias" text,
	"erc_standard" text NOT NULL,
	"contract_type" text,
	"status" text NOT NULL,
	"current_owner_address" text,
	"royalty_receiver" text,
	"royalty_fee_bps" integer,
	"metadata_base_uri" text,
	"trusted_forwarder" text,
	"transfer_owner_address" text,
	"contract_address" text,
	"deploy_tx_hash" text,
	"deploy_gas_used" text,
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
CREATE TABLE "corporate_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_id" text NOT NULL,
	"corporate_name" text NOT NULL,
	"secret_manager_key_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"wallet_link_type" text DEFAULT 'DEDICATED' NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"webhook_url" text,
	"webhook_secret" text NOT NULL,
	"webhook_secret_previous" text,
	"webhook_secret_previous_expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "corporate_accounts_corporate_id_unique" UNIQUE("corporate_id")
);
--> statement-breakpoint
CREATE TABLE "forward_requests" (
	"order_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"forwarder_address" text NOT NULL,
	"signer_address" text NOT NULL,
	"nonce" numeric(78, 0) NOT NULL,
	"contract_address" text NOT NULL,
	"gas_limit" bigint NOT NULL,
	"data" text NOT NULL,
	"signature" text NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"corporate_account_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"claim_id" text NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"status_code" integer,
	"body" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_corporate_account_id_key_pk" PRIMARY KEY("corporate_account_id","key")
);
--> statement-breakpoint
CREATE TABLE "metadata" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text,
	"token_id" text,
	"name" text NOT NULL,
	"description" text,
	"image_url" text NOT NULL,
	"external_url" text,
	"attributes" jsonb NOT NULL,
	"utility" jsonb NOT NULL,
	"schema_version" text NOT NULL,
	"current_status" text,
	"standard_fields" jsonb NOT NULL,
	"metadata_hash" text,
	"linked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "minting_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"contract_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"erc_standard" text NOT NULL,
	"receiver_address" text NOT NULL,
	"token_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"metadata_id" text NOT NULL,
	"token_uri" text,
	"metadata_hash" text,
	"status" text NOT NULL,
	"mode" text NOT NULL,
	"tx_hash" text,
	"minting_gas_used" text,
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
CREATE TABLE "ownership_transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"contract_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"new_owner_address" text NOT NULL,
	"status" text NOT NULL,
	"tx_hash" text,
	"transfer_gas_used" text,
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
CREATE TABLE "transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"order_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"state" text NOT NULL,
	"nonce" bigint,
	"raw_transaction" text,
	"hashes" text[] DEFAULT '{}' NOT NULL,
	"max_fee_per_gas" numeric,
	"max_priority_fee_per_gas" numeric,
	"signed_at" timestamp (3) with time zone,
	"held_at" timestamp (3) with time zone,
	"settlement_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transfer_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"erc_standard" text NOT NULL,
	"from" text NOT NULL,
	"to" text NOT NULL,
	"token_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"status" text NOT NULL,
	"tx_hash" text,
	"transfer_gas_used" text,
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
CREATE TABLE "webhook_events" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"type" text NOT NULL,
	"related_order_id" text NOT NULL,
	"payload" text NOT NULL,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_logs" (
	"id" text PRIMARY KEY NOT NULL,
	"webhook_event_id" text NOT NULL,
	"corporate_account_id" text NOT NULL,
	"event_type" text NOT NULL,
	"target_url" text NOT NULL,
	"related_order_id" text NOT NULL,
	"payload_sent" text NOT NULL,
	"status" text NOT NULL,
	"response_status_code" integer,
	"error_message" text,
	"attempt" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contracts" ADD CONSTRAINT "contracts_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "forward_requests" ADD CONSTRAINT "forward_requests_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata" ADD CONSTRAINT "metadata_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minting_orders" ADD CONSTRAINT "minting_orders_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minting_orders" ADD CONSTRAINT "minting_orders_contract_id_contracts_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."contracts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minting_orders" ADD CONSTRAINT "minting_orders_metadata_id_metadata_id_fk" FOREIGN KEY ("metadata_id") REFERENCES "public"."metadata"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ownership_transfers" ADD CONSTRAINT "ownership_transfers_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ownership_transfers" ADD CONSTRAINT "ownership_transfers_contract_id_contracts_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."contracts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfer_orders" ADD CONSTRAINT "transfer_orders_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD CONSTRAINT "webhook_logs_webhook_event_id_webhook_events_id_fk" FOREIGN KEY ("webhook_event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD CONSTRAINT "webhook_logs_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "assets_by_account" ON "assets" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "contracts_address" ON "contracts" USING btree ("chain_id","contract_address");--> statement-breakpoint
CREATE INDEX "contracts_by_account" ON "contracts" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "contracts_unfinished" ON "contracts" USING btree ("updated_at") WHERE "contracts"."status" = 'DEPLOYING';--> statement-breakpoint
CREATE UNIQUE INDEX "forward_requests_open" ON "forward_requests" USING btree ("chain_id","signer_address","forwarder_address","nonce") WHERE "forward_requests"."state" = 'open';--> statement-breakpoint
CREATE INDEX "forward_requests_by_nonce" ON "forward_requests" USING btree ("chain_id","signer_address","forwarder_address","nonce");--> statement-breakpoint
CREATE INDEX "forward_requests_by_signature" ON "forward_requests" USING btree ("signature");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "metadata_by_token" ON "metadata" USING btree ("contract_address","token_id","linked_at");--> statement-breakpoint
CREATE INDEX "metadata_by_account" ON "metadata" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "minting_orders_occupancy" ON "minting_orders" USING btree ("metadata_id") WHERE erc_standard = '721' and status <> 'FAILED';--> statement-breakpoint
CREATE INDEX "minting_orders_by_account" ON "minting_orders" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "minting_orders_by_status" ON "minting_orders" USING btree ("corporate_account_id","status","id");--> statement-breakpoint
CREATE INDEX "minting_orders_by_contract" ON "minting_orders" USING btree ("corporate_account_id","contract_address","id");--> statement-breakpoint
CREATE INDEX "minting_orders_by_receiver" ON "minting_orders" USING btree ("corporate_account_id",lower("receiver_address"),"id");--> statement-breakpoint
CREATE INDEX "minting_orders_by_tx" ON "minting_orders" USING btree ("tx_hash");--> statement-breakpoint
CREATE INDEX "minting_orders_by_token" ON "minting_orders" USING btree ("contract_address","token_id","id");--> statement-breakpoint
CREATE INDEX "minting_orders_unfinished" ON "minting_orders" USING btree ("updated_at") WHERE "minting_orders"."status" in ('PENDING', 'PROCESSING', 'SENT');--> statement-breakpoint
CREATE INDEX "minting_orders_recent" ON "minting_orders" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "ownership_transfers_unfinished" ON "ownership_transfers" USING btree ("updated_at") WHERE "ownership_transfers"."status" in ('PENDING', 'PROCESSING', 'SENT');--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_operation" ON "transactions" USING btree ("kind","order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_nonce" ON "transactions" USING btree ("chain_id","wallet_address","nonce");--> statement-breakpoint
CREATE INDEX "transactions_settlement" ON "transactions" USING btree ("settlement_id");--> statement-breakpoint
CREATE INDEX "transactions_unfinished" ON "transactions" USING btree ("updated_at") WHERE "transactions"."state" in ('preparing', 'signed', 'broadcast');--> statement-breakpoint
CREATE INDEX "transfer_orders_by_account" ON "transfer_orders" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "transfer_orders_by_status" ON "transfer_orders" USING btree ("corporate_account_id","status","id");--> statement-breakpoint
CREATE INDEX "transfer_orders_by_contract" ON "transfer_orders" USING btree ("corporate_account_id","contract_address","id");--> statement-breakpoint
CREATE INDEX "transfer_orders_by_holder" ON "transfer_orders" USING btree ("corporate_account_id",lower("from"),"id");--> statement-breakpoint
CREATE INDEX "transfer_orders_by_tx" ON "transfer_orders" USING btree ("tx_hash");--> statement-breakpoint
CREATE INDEX "transfer_orders_unfinished" ON "transfer_orders" USING btree ("updated_at") WHERE "transfer_orders"."status" in ('PENDING', 'PROCESSING', 'SENT');--> statement-breakpoint
CREATE INDEX "webhook_events_unfinished" ON "webhook_events" USING btree ("next_attempt_at") WHERE "webhook_events"."status" in ('PENDING', 'RETRYING');--> statement-breakpoint
CREATE INDEX "webhook_events_by_order" ON "webhook_events" USING btree ("related_order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_logs_attempt" ON "webhook_logs" USING btree ("webhook_event_id","attempt");--> statement-breakpoint
CREATE INDEX "webhook_logs_by_order" ON "webhook_logs" USING btree ("related_order_id");--> statement-breakpoint
CREATE INDEX "webhook_logs_recent" ON "webhook_logs" USING btree ("updated_at");