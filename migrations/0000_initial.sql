CREATE TABLE "account_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"parent_id" text,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"allowed_addresses" text[],
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "account_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "account_limits" (
	"corporate_account_id" text PRIMARY KEY NOT NULL,
	"limits" jsonb NOT NULL,
	"notified" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"orders_day" timestamp (3) with time zone,
	"orders_of_day" bigint DEFAULT 0 NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"action" text NOT NULL,
	"kind" text,
	"chain_id" text,
	"requested_by" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decision" text,
	"decided_at" timestamp (3) with time zone,
	"decided_by" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "attempts" (
	"transaction_id" text NOT NULL,
	"number" integer NOT NULL,
	"nonce" bigint NOT NULL,
	"hash" text NOT NULL,
	"raw" text NOT NULL,
	"purpose" text NOT NULL,
	"gas" bigint NOT NULL,
	"max_fee_per_gas" numeric(78, 0) NOT NULL,
	"max_priority_fee_per_gas" numeric(78, 0) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "attempts_transaction_id_number_pk" PRIMARY KEY("transaction_id","number"),
	CONSTRAINT "attempts_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text,
	"actor" text NOT NULL,
	"key_id" text,
	"address" text,
	"request_id" text,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"resource_ids" text[] NOT NULL,
	"body_hash" text,
	"status_code" integer,
	"is_change" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "claims" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"secret_hash" text NOT NULL,
	"pin_hash" text,
	"pin_failures" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "collection_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"contract_id" text NOT NULL,
	"version" integer NOT NULL,
	"document" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" text,
	"created_by_key_id" text
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
	"burn_auth" text,
	"transfer_owner_address" text,
	"contract_address" text,
	"registered_at_block" bigint,
	"error_message" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "corporate_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_id" text NOT NULL,
	"issuer_id" text DEFAULT gen_random_uuid()::text NOT NULL,
	"corporate_name" text NOT NULL,
	"secret_manager_key_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"wallet_link_type" text DEFAULT 'DEDICATED' NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"status" text DEFAULT 'ACTIVE' NOT NULL,
	"paused_at" timestamp (3) with time zone,
	"approvals_required" boolean DEFAULT false NOT NULL,
	"issuer_name" text,
	"issuer_logo_url" text,
	"issuer_domain" text,
	"issuer_confirmed_at" timestamp (3) with time zone,
	"issuer_publishes_did" boolean DEFAULT false NOT NULL,
	"issuer_did_domains" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "corporate_accounts_corporate_id_unique" UNIQUE("corporate_id"),
	CONSTRAINT "corporate_accounts_issuer_id_unique" UNIQUE("issuer_id")
);
--> statement-breakpoint
CREATE TABLE "credential_statuses" (
	"contract_address" text NOT NULL,
	"token_id" text NOT NULL,
	"corporate_account_id" text NOT NULL,
	"number" integer NOT NULL,
	CONSTRAINT "credential_statuses_contract_address_token_id_pk" PRIMARY KEY("contract_address","token_id")
);
--> statement-breakpoint
CREATE TABLE "fence" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" text NOT NULL,
	"raised_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "fence_one_row" CHECK ("fence"."is_only")
);
--> statement-breakpoint
CREATE TABLE "forward_requests" (
	"order_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"purpose" text DEFAULT 'call' NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"forwarder_address" text NOT NULL,
	"signer_address" text NOT NULL,
	"nonce" numeric(78, 0) NOT NULL,
	"contract_address" text NOT NULL,
	"gas_limit" bigint NOT NULL,
	"data" text NOT NULL,
	"signature" text NOT NULL,
	"deadline" timestamp (3) with time zone,
	"state" text NOT NULL,
	"read_at_block" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"corporate_account_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"id_seed" text NOT NULL,
	"status_code" integer,
	"body" text,
	"is_encrypted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_corporate_account_id_key_pk" PRIMARY KEY("corporate_account_id","key")
);
--> statement-breakpoint
CREATE TABLE "import_chunks" (
	"import_id" text NOT NULL,
	"place" integer NOT NULL,
	"numbers" integer[] NOT NULL,
	"cells" text,
	"uses" jsonb,
	"run_at" timestamp (3) with time zone,
	"refusals" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "import_chunks_import_id_place_pk" PRIMARY KEY("import_id","place")
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"columns" jsonb,
	"preview" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"bytes" integer NOT NULL,
	"rows" integer DEFAULT 0 NOT NULL,
	"chunks" integer DEFAULT 0 NOT NULL,
	"cursor" integer DEFAULT 0 NOT NULL,
	"rows_checked" integer DEFAULT 0 NOT NULL,
	"faulty_rows" integer DEFAULT 0 NOT NULL,
	"fault_count" integer DEFAULT 0 NOT NULL,
	"faults" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"accepted" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"caller" jsonb NOT NULL,
	"waiting" jsonb,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lanes" (
	"chain_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"floor" bigint DEFAULT 0 NOT NULL,
	"observations" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"state" text DEFAULT 'ok' NOT NULL,
	"order_id" text,
	"reason" text,
	"since" timestamp (3) with time zone,
	"driven_at" timestamp (3) with time zone,
	"signed_at" timestamp (3) with time zone,
	"woken_at" timestamp (3) with time zone,
	"stuck_notified_at" timestamp (3) with time zone,
	"low_notified_at" timestamp (3) with time zone,
	CONSTRAINT "lanes_chain_id_wallet_address_pk" PRIMARY KEY("chain_id","wallet_address")
);
--> statement-breakpoint
CREATE TABLE "metadata" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text,
	"token_id" text,
	"schema_version" text NOT NULL,
	"standard_fields" jsonb NOT NULL,
	"current_status" text GENERATED ALWAYS AS (case when jsonb_typeof(standard_fields #> '{utility,data,status}') = 'string'
        then standard_fields #>> '{utility,data,status}' end) STORED,
	"metadata_hash" text,
	"linked_at" timestamp (3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"frozen_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "metadata_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"metadata_id" text NOT NULL,
	"version" integer NOT NULL,
	"schema_version" text NOT NULL,
	"current_status" text,
	"standard_fields" jsonb,
	"replaced_at" timestamp (3) with time zone NOT NULL,
	"replaced_by" text,
	"replaced_by_key_id" text
);
--> statement-breakpoint
CREATE TABLE "paused_chains" (
	"chain_id" text PRIMARY KEY NOT NULL,
	"paused_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "relayer_wallets" (
	"address" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"secret_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"replaced_at" timestamp (3) with time zone,
	CONSTRAINT "relayer_wallets_secret_id_unique" UNIQUE("secret_id")
);
--> statement-breakpoint
CREATE TABLE "status_rules" (
	"corporate_account_id" text NOT NULL,
	"kind" text NOT NULL,
	"rules" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "status_rules_corporate_account_id_kind_pk" PRIMARY KEY("corporate_account_id","kind")
);
--> statement-breakpoint
CREATE TABLE "tallies" (
	"name" text NOT NULL,
	"subject" text NOT NULL,
	"bound" integer NOT NULL,
	"count" bigint NOT NULL,
	"milliseconds" bigint NOT NULL,
	CONSTRAINT "tallies_name_subject_bound_pk" PRIMARY KEY("name","subject","bound")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"order_id" text NOT NULL,
	"resource" text,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"trace" text,
	"contract_id" text,
	"contract_address" text,
	"erc_standard" text,
	"token_id" text,
	"amount" bigint,
	"receiver_address" text,
	"holder_address" text,
	"metadata_id" text,
	"details" jsonb,
	"state" text NOT NULL,
	"status" text GENERATED ALWAYS AS (case
  when state in ('confirmed', 'failed', 'cancelled') then upper(state)
  when state = 'signed' or sent_at is not null then 'SENT'
  when claimed_at is not null then 'PROCESSING'
  else 'PENDING' end) STORED NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"nonce" bigint,
	"bundle_id" text,
	"bundle_place" integer,
	"bundle_size" integer,
	"earlier_bundle_id" text,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"hold_reason" text,
	"hold_detail" text,
	"held_since" timestamp (3) with time zone,
	"not_before_block" bigint,
	"cancel_requested_at" timestamp (3) with time zone,
	"approval_until" timestamp (3) with time zone,
	"refusal" text,
	"tx_hash" text,
	"block_number" bigint,
	"block_hash" text,
	"spent_wei" numeric(78, 0),
	"spent_at" timestamp (3) with time zone,
	"is_final" boolean DEFAULT false NOT NULL,
	"endings" integer DEFAULT 0 NOT NULL,
	"batch_id" text,
	"gas_used" text,
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
CREATE TABLE "webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"webhook_event_id" text NOT NULL,
	"webhook_endpoint_id" text NOT NULL,
	"corporate_account_id" text NOT NULL,
	"event_type" text NOT NULL,
	"related_order_id" text,
	"chain_id" text,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempt_limit" integer NOT NULL,
	"next_attempt_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"replay_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"managed_by" text NOT NULL,
	"url" text,
	"description" text,
	"chain_kind" text,
	"event_types" text[],
	"status" text DEFAULT 'ENABLED' NOT NULL,
	"secret_id" text NOT NULL,
	"secret" text NOT NULL,
	"secret_previous" text,
	"secret_previous_expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"type" text NOT NULL,
	"related_order_id" text,
	"payload" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_logs" (
	"id" text PRIMARY KEY NOT NULL,
	"webhook_delivery_id" text NOT NULL,
	"corporate_account_id" text NOT NULL,
	"event_type" text NOT NULL,
	"target_url" text NOT NULL,
	"related_order_id" text,
	"payload_sent" text NOT NULL,
	"status" text NOT NULL,
	"response_status_code" integer,
	"error_message" text,
	"attempt" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "account_keys" ADD CONSTRAINT "account_keys_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_keys" ADD CONSTRAINT "account_keys_parent_id_account_keys_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."account_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_limits" ADD CONSTRAINT "account_limits_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_requested_by_account_keys_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."account_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_decided_by_account_keys_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."account_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_transaction_id_orders_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_id_orders_id_fk" FOREIGN KEY ("id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collection_versions" ADD CONSTRAINT "collection_versions_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collection_versions" ADD CONSTRAINT "collection_versions_contract_id_contracts_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."contracts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "contracts" ADD CONSTRAINT "contracts_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_statuses" ADD CONSTRAINT "credential_statuses_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "forward_requests" ADD CONSTRAINT "forward_requests_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "import_chunks" ADD CONSTRAINT "import_chunks_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata" ADD CONSTRAINT "metadata_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata_versions" ADD CONSTRAINT "metadata_versions_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata_versions" ADD CONSTRAINT "metadata_versions_metadata_id_metadata_id_fk" FOREIGN KEY ("metadata_id") REFERENCES "public"."metadata"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "relayer_wallets" ADD CONSTRAINT "relayer_wallets_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "status_rules" ADD CONSTRAINT "status_rules_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_contract_id_contracts_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."contracts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_metadata_id_metadata_id_fk" FOREIGN KEY ("metadata_id") REFERENCES "public"."metadata"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_event_id_webhook_events_id_fk" FOREIGN KEY ("webhook_event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("webhook_endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD CONSTRAINT "webhook_logs_webhook_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("webhook_delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD CONSTRAINT "webhook_logs_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_keys_by_account" ON "account_keys" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "approvals_by_account" ON "approvals" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "approvals_undecided" ON "approvals" USING btree ("corporate_account_id","id") WHERE "approvals"."decision" is null;--> statement-breakpoint
CREATE INDEX "audit_log_by_account" ON "audit_log" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_account_status" ON "audit_log" USING btree ("corporate_account_id","status_code","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_account_route" ON "audit_log" USING btree ("corporate_account_id","route","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_account_actor" ON "audit_log" USING btree ("corporate_account_id","actor","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_status" ON "audit_log" USING btree ("status_code","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_key" ON "audit_log" USING btree ("key_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_resource" ON "audit_log" USING gin ("resource_ids");--> statement-breakpoint
CREATE INDEX "audit_log_unchanged" ON "audit_log" USING btree ("corporate_account_id","key_id","route","status_code","id") WHERE not "audit_log"."is_change";--> statement-breakpoint
CREATE INDEX "claims_by_account" ON "claims" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "claims_by_contract" ON "claims" USING btree ("contract_address","corporate_account_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "collection_versions_of_contract" ON "collection_versions" USING btree ("contract_id","version");--> statement-breakpoint
CREATE INDEX "collection_versions_by_key" ON "collection_versions" USING btree ("created_by_key_id") WHERE "collection_versions"."created_by_key_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "contracts_address" ON "contracts" USING btree ("contract_address");--> statement-breakpoint
CREATE INDEX "contracts_by_account" ON "contracts" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "contracts_by_chain" ON "contracts" USING btree ("corporate_account_id","chain_id","id");--> statement-breakpoint
CREATE INDEX "contracts_by_standard" ON "contracts" USING btree ("corporate_account_id","erc_standard","id");--> statement-breakpoint
CREATE INDEX "contracts_under_way" ON "contracts" USING btree ("corporate_account_id","id") WHERE "contracts"."status" = 'DEPLOYING';--> statement-breakpoint
CREATE INDEX "corporate_accounts_by_wallet" ON "corporate_accounts" USING btree ("wallet_address");--> statement-breakpoint
CREATE UNIQUE INDEX "credential_statuses_of_account" ON "credential_statuses" USING btree ("corporate_account_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "forward_requests_open" ON "forward_requests" USING btree ("chain_id","signer_address","forwarder_address","nonce","purpose") WHERE "forward_requests"."state" = 'open';--> statement-breakpoint
CREATE INDEX "forward_requests_by_nonce" ON "forward_requests" USING btree ("chain_id","signer_address","forwarder_address","nonce");--> statement-breakpoint
CREATE INDEX "forward_requests_by_signature" ON "forward_requests" USING btree ("signature");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_encrypted" ON "idempotency_keys" USING btree ("created_at") WHERE "idempotency_keys"."is_encrypted";--> statement-breakpoint
CREATE INDEX "imports_by_account" ON "imports" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "imports_with_files" ON "imports" USING btree ("corporate_account_id","bytes") WHERE "imports"."bytes" > 0;--> statement-breakpoint
CREATE INDEX "imports_due" ON "imports" USING btree ("next_try_at") WHERE "imports"."status" in ('CHECKING', 'RUNNING');--> statement-breakpoint
CREATE INDEX "imports_idle" ON "imports" USING btree ("updated_at") WHERE "imports"."status" in ('UPLOADING', 'CHECKED', 'PAUSED');--> statement-breakpoint
CREATE INDEX "imports_ended" ON "imports" USING btree ("updated_at") WHERE "imports"."status" in ('COMPLETED', 'CANCELLED');--> statement-breakpoint
CREATE INDEX "metadata_by_token" ON "metadata" USING btree ("contract_address","token_id","linked_at");--> statement-breakpoint
CREATE INDEX "metadata_by_account" ON "metadata" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "metadata_by_contract" ON "metadata" USING btree ("contract_address","linked_at","id") WHERE "metadata"."contract_address" is not null;--> statement-breakpoint
CREATE INDEX "metadata_by_product" ON "metadata" USING btree (left(jsonb_path_query_first(standard_fields, '$.attributes[*] ? (@.trait_type == "GTIN").value') #>> '{}', 15),left(jsonb_path_query_first(standard_fields, '$.attributes[*] ? (@.trait_type == "Serial Number").value') #>> '{}', 21),"corporate_account_id","linked_at","id") WHERE "metadata"."contract_address" is not null and left(jsonb_path_query_first(standard_fields, '$.attributes[*] ? (@.trait_type == "GTIN").value') #>> '{}', 15) is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "metadata_versions_of_document" ON "metadata_versions" USING btree ("metadata_id","version");--> statement-breakpoint
CREATE INDEX "metadata_versions_whole" ON "metadata_versions" USING btree ("metadata_id","version") WHERE "metadata_versions"."standard_fields" is not null;--> statement-breakpoint
CREATE INDEX "relayer_wallets_by_account" ON "relayer_wallets" USING btree ("corporate_account_id");--> statement-breakpoint
CREATE INDEX "relayer_wallets_replaced" ON "relayer_wallets" USING btree ("replaced_at") WHERE "relayer_wallets"."replaced_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "relayer_wallets_current" ON "relayer_wallets" USING btree ("corporate_account_id") WHERE "relayer_wallets"."replaced_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_by_order" ON "orders" USING btree ("order_id","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_nonce" ON "orders" USING btree ("chain_id","wallet_address","nonce") WHERE "orders"."bundle_id" is null;--> statement-breakpoint
CREATE INDEX "orders_bundle" ON "orders" USING btree ("bundle_id") WHERE "orders"."bundle_id" is not null;--> statement-breakpoint
CREATE INDEX "orders_earlier_bundle" ON "orders" USING btree ("earlier_bundle_id") WHERE "orders"."earlier_bundle_id" is not null;--> statement-breakpoint
CREATE INDEX "orders_waiting" ON "orders" USING btree ("chain_id","wallet_address","next_try_at") WHERE "orders"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "orders_signed" ON "orders" USING btree ("chain_id","wallet_address","nonce") WHERE "orders"."state" = 'signed';--> statement-breakpoint
CREATE INDEX "orders_not_final" ON "orders" USING btree ("chain_id","wallet_address","block_number") WHERE "orders"."state" = 'confirmed' and not "orders"."is_final";--> statement-breakpoint
CREATE INDEX "orders_unfinished" ON "orders" USING btree ("corporate_account_id","chain_id") WHERE "orders"."state" in ('waiting', 'signed');--> statement-breakpoint
CREATE INDEX "orders_spent" ON "orders" USING btree ("corporate_account_id","chain_id","spent_at") WHERE "orders"."spent_at" is not null;--> statement-breakpoint
CREATE INDEX "orders_of_account" ON "orders" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "orders_by_account" ON "orders" USING btree ("corporate_account_id","resource","id");--> statement-breakpoint
CREATE INDEX "orders_by_status" ON "orders" USING btree ("corporate_account_id","resource","status","id");--> statement-breakpoint
CREATE INDEX "orders_by_contract" ON "orders" USING btree ("contract_address","corporate_account_id","resource","id");--> statement-breakpoint
CREATE INDEX "orders_by_receiver" ON "orders" USING btree (lower("receiver_address"),"corporate_account_id","resource","id") WHERE "orders"."receiver_address" is not null;--> statement-breakpoint
CREATE INDEX "orders_by_holder" ON "orders" USING btree (lower("holder_address"),"corporate_account_id","resource","id") WHERE "orders"."holder_address" is not null;--> statement-breakpoint
CREATE INDEX "orders_by_token" ON "orders" USING btree ("contract_address","token_id","resource","id");--> statement-breakpoint
CREATE INDEX "orders_by_tx" ON "orders" USING btree ("tx_hash") WHERE "orders"."tx_hash" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "minting_orders_occupancy" ON "orders" USING btree ("metadata_id") WHERE resource = 'minting-orders' and erc_standard = '721' and status not in ('FAILED', 'CANCELLED');--> statement-breakpoint
CREATE INDEX "minting_orders_units" ON "orders" USING btree ("metadata_id","status") WHERE resource = 'minting-orders' and erc_standard = '1155' and status not in ('FAILED', 'CANCELLED');--> statement-breakpoint
CREATE INDEX "minting_orders_unfinished" ON "orders" USING btree ("contract_address","token_id") WHERE resource = 'minting-orders' and status in ('PENDING', 'PROCESSING', 'SENT');--> statement-breakpoint
CREATE INDEX "minting_orders_recent" ON "orders" USING btree (greatest("updated_at", case when "completed_at" is null then "claimed_at" end)) WHERE resource = 'minting-orders';--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_of_event" ON "webhook_deliveries" USING btree ("webhook_event_id","webhook_endpoint_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_unfinished_of_endpoint" ON "webhook_deliveries" USING btree ("webhook_endpoint_id","next_attempt_at") WHERE "webhook_deliveries"."status" in ('PENDING', 'RETRYING');--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failing" ON "webhook_deliveries" USING btree ("id") WHERE "webhook_deliveries"."status" in ('FAILED', 'RETRYING');--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_account" ON "webhook_deliveries" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_status" ON "webhook_deliveries" USING btree ("corporate_account_id","status","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_type" ON "webhook_deliveries" USING btree ("corporate_account_id","event_type","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_endpoint" ON "webhook_deliveries" USING btree ("webhook_endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_order" ON "webhook_deliveries" USING btree ("related_order_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_replay" ON "webhook_deliveries" USING btree ("replay_id") WHERE "webhook_deliveries"."replay_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_of_operator" ON "webhook_endpoints" USING btree ("corporate_account_id") WHERE "webhook_endpoints"."managed_by" = 'operator';--> statement-breakpoint
CREATE INDEX "webhook_endpoints_by_account" ON "webhook_endpoints" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "webhook_events_by_order" ON "webhook_events" USING btree ("related_order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_logs_attempt" ON "webhook_logs" USING btree ("webhook_delivery_id","attempt");--> statement-breakpoint
CREATE INDEX "webhook_logs_by_order" ON "webhook_logs" USING btree ("related_order_id");--> statement-breakpoint
CREATE INDEX "webhook_logs_recent" ON "webhook_logs" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "webhook_logs_bodies" ON "webhook_logs" USING btree ("id") WHERE "webhook_logs"."payload_sent" <> '';--> statement-breakpoint
CREATE FUNCTION "audit_log_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit_log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log" FOR EACH STATEMENT EXECUTE FUNCTION "audit_log_is_append_only"();--> statement-breakpoint
CREATE FUNCTION "abort_transaction"("name" text, "detail" text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'aborted: %', "name" USING ERRCODE = 'NF001', CONSTRAINT = "name", DETAIL = coalesce("detail", '');
END $$;--> statement-breakpoint
CREATE FUNCTION "require_epoch"("expected" text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	-- Until this transaction ends, the epoch does not change. What waited for a change sees it: each statement of a function has its own snapshot.
	PERFORM pg_advisory_xact_lock_shared(hashtext('fence'));
	IF coalesce((SELECT "epoch" FROM "fence"), '') <> "expected" THEN
		PERFORM abort_transaction('fenced_off', NULL);
	END IF;
END $$;--> statement-breakpoint
CREATE TABLE "contract_owners" (
	"chain_id" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"contract_id" text NOT NULL,
	"owner" text NOT NULL,
	CONSTRAINT "contract_owners_chain_id_block_number_log_index_pk" PRIMARY KEY("chain_id","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "holdings" (
	"id" text NOT NULL,
	"corporate_account_id" text NOT NULL,
	"contract_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"token_id" text NOT NULL,
	"holder" text NOT NULL,
	"amount" numeric NOT NULL,
	CONSTRAINT "holdings_contract_id_token_id_holder_pk" PRIMARY KEY("contract_id","token_id","holder")
);
--> statement-breakpoint
CREATE TABLE "indexed_chains" (
	"chain_id" text PRIMARY KEY NOT NULL,
	"step_id" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"earlier" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"range_length" integer NOT NULL,
	"leased_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "indexed_contracts" (
	"contract_id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"first_block" bigint NOT NULL,
	"next_block" bigint,
	"silent_to" bigint NOT NULL,
	"stop" text,
	"day" bigint DEFAULT 0 NOT NULL,
	"transfers_of_day" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "token_transfers" (
	"chain_id" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"position" integer NOT NULL,
	"contract_id" text NOT NULL,
	"token_id" text NOT NULL,
	"from_address" text NOT NULL,
	"to_address" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"is_notified" boolean NOT NULL,
	CONSTRAINT "token_transfers_chain_id_block_number_log_index_position_pk" PRIMARY KEY("chain_id","block_number","log_index","position")
);
--> statement-breakpoint
ALTER TABLE "contract_owners" ADD CONSTRAINT "contract_owners_contract_id_indexed_contracts_contract_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."indexed_contracts"("contract_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holdings" ADD CONSTRAINT "holdings_contract_id_indexed_contracts_contract_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."indexed_contracts"("contract_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "indexed_contracts" ADD CONSTRAINT "indexed_contracts_contract_id_contracts_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."contracts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_transfers" ADD CONSTRAINT "token_transfers_contract_id_indexed_contracts_contract_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."indexed_contracts"("contract_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "contract_owners_by_contract" ON "contract_owners" USING btree ("contract_id","block_number","log_index");--> statement-breakpoint
CREATE INDEX "holdings_by_account" ON "holdings" USING btree ("corporate_account_id","id") WHERE "holdings"."amount" > 0;--> statement-breakpoint
CREATE INDEX "holdings_by_chain" ON "holdings" USING btree ("corporate_account_id","chain_id","id") WHERE "holdings"."amount" > 0;--> statement-breakpoint
CREATE INDEX "holdings_by_contract" ON "holdings" USING btree ("contract_address","id") WHERE "holdings"."amount" > 0;--> statement-breakpoint
CREATE INDEX "holdings_of_contract_by_holder" ON "holdings" USING btree ("contract_address","holder","id") WHERE "holdings"."amount" > 0;--> statement-breakpoint
CREATE INDEX "holdings_by_token" ON "holdings" USING btree ("contract_address","token_id","id") WHERE "holdings"."amount" > 0;--> statement-breakpoint
CREATE INDEX "holdings_by_holder" ON "holdings" USING btree ("holder","corporate_account_id","id") WHERE "holdings"."amount" > 0;--> statement-breakpoint
CREATE INDEX "holdings_empty" ON "holdings" USING btree ("chain_id") WHERE "holdings"."amount" = 0;--> statement-breakpoint
CREATE UNIQUE INDEX "indexed_contracts_address" ON "indexed_contracts" USING btree ("contract_address");--> statement-breakpoint
CREATE INDEX "indexed_contracts_by_chain" ON "indexed_contracts" USING btree ("chain_id");--> statement-breakpoint
CREATE INDEX "token_transfers_by_contract" ON "token_transfers" USING btree ("contract_id");--> statement-breakpoint
CREATE INDEX "token_transfers_burns" ON "token_transfers" USING btree ("contract_id","token_id") WHERE "token_transfers"."to_address" = '0x0000000000000000000000000000000000000000';--> statement-breakpoint
CREATE INDEX "token_transfers_from" ON "token_transfers" USING btree ("from_address");--> statement-breakpoint
CREATE INDEX "token_transfers_to" ON "token_transfers" USING btree ("to_address");--> statement-breakpoint
CREATE INDEX "token_transfers_not_notified" ON "token_transfers" USING btree ("contract_id","block_number","log_index","position") WHERE not "token_transfers"."is_notified";
