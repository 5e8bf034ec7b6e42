CREATE TABLE "chain_notifications" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"contract_id" text NOT NULL,
	"metadata_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"contract_address" text NOT NULL,
	"token_id" text NOT NULL,
	"status" text NOT NULL,
	"tx_hash" text,
	"notification_gas_used" text,
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
CREATE TABLE "metadata_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"corporate_account_id" text NOT NULL,
	"metadata_id" text NOT NULL,
	"version" integer NOT NULL,
	"schema_version" text NOT NULL,
	"current_status" text,
	"standard_fields" jsonb NOT NULL,
	"replaced_at" timestamp (3) with time zone NOT NULL,
	"replaced_by" text,
	"replaced_by_key_id" text
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
ALTER TABLE "metadata" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "metadata" ADD COLUMN "frozen_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chain_notifications" ADD CONSTRAINT "chain_notifications_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chain_notifications" ADD CONSTRAINT "chain_notifications_contract_id_contracts_id_fk" FOREIGN KEY ("contract_id") REFERENCES "public"."contracts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chain_notifications" ADD CONSTRAINT "chain_notifications_metadata_id_metadata_id_fk" FOREIGN KEY ("metadata_id") REFERENCES "public"."metadata"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata_versions" ADD CONSTRAINT "metadata_versions_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata_versions" ADD CONSTRAINT "metadata_versions_metadata_id_metadata_id_fk" FOREIGN KEY ("metadata_id") REFERENCES "public"."metadata"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "status_rules" ADD CONSTRAINT "status_rules_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chain_notifications_by_tx" ON "chain_notifications" USING btree ("tx_hash");--> statement-breakpoint
CREATE INDEX "chain_notifications_by_contract" ON "chain_notifications" USING btree ("contract_address","corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "chain_notifications_by_token" ON "chain_notifications" USING btree ("contract_address","token_id","id");--> statement-breakpoint
CREATE INDEX "chain_notifications_unfinished" ON "chain_notifications" USING btree ("updated_at") WHERE "chain_notifications"."status" in ('PENDING', 'PROCESSING', 'SENT');--> statement-breakpoint
CREATE UNIQUE INDEX "metadata_versions_of_document" ON "metadata_versions" USING btree ("metadata_id","version");