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
-- The webhook of each account is an endpoint among others. Its secrets are encrypted by the next run of the cleanup job.
INSERT INTO "webhook_endpoints" ("id", "corporate_account_id", "managed_by", "url", "secret_id", "secret", "secret_previous",
  "secret_previous_expires_at", "created_at", "updated_at")
SELECT substr(a."id", 1, 12) || substr(md5('webhook' || a."id"), 1, 12), a."id", 'operator', a."webhook_url",
  substr(a."id", 1, 12) || substr(md5('secret' || a."id"), 1, 12), a."webhook_secret", a."webhook_secret_previous",
  a."webhook_secret_previous_expires_at", a."created_at", a."updated_at"
FROM "corporate_accounts" a;--> statement-breakpoint
-- The one delivery of each event has the id of the event, which queued messages and the log rows name.
INSERT INTO "webhook_deliveries" ("id", "webhook_event_id", "webhook_endpoint_id", "corporate_account_id", "event_type",
  "related_order_id", "chain_id", "status", "attempts", "attempt_limit", "next_attempt_at", "created_at", "updated_at")
SELECT e."id", e."id", p."id", e."corporate_account_id", e."type", e."related_order_id", e."payload"::jsonb #>> '{data,chainId}',
  e."status", e."attempts", 5, e."next_attempt_at", e."created_at", e."updated_at"
FROM "webhook_events" e
JOIN "webhook_endpoints" p ON p."corporate_account_id" = e."corporate_account_id";--> statement-breakpoint
ALTER TABLE "webhook_logs" RENAME COLUMN "webhook_event_id" TO "webhook_delivery_id";--> statement-breakpoint
ALTER TABLE "webhook_logs" DROP CONSTRAINT "webhook_logs_webhook_event_id_webhook_events_id_fk";
--> statement-breakpoint
DROP INDEX "webhook_events_unfinished";--> statement-breakpoint
DROP INDEX "webhook_logs_attempt";--> statement-breakpoint
ALTER TABLE "webhook_events" ALTER COLUMN "related_order_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_logs" ALTER COLUMN "related_order_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "is_encrypted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "lanes" ADD COLUMN "stuck_notified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "lanes" ADD COLUMN "low_notified_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_event_id_webhook_events_id_fk" FOREIGN KEY ("webhook_event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("webhook_endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_of_event" ON "webhook_deliveries" USING btree ("webhook_event_id","webhook_endpoint_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_unfinished" ON "webhook_deliveries" USING btree ("next_attempt_at") WHERE "webhook_deliveries"."status" in ('PENDING', 'RETRYING');--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_account" ON "webhook_deliveries" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_status" ON "webhook_deliveries" USING btree ("corporate_account_id","status","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_type" ON "webhook_deliveries" USING btree ("corporate_account_id","event_type","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_endpoint" ON "webhook_deliveries" USING btree ("webhook_endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_order" ON "webhook_deliveries" USING btree ("related_order_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_replay" ON "webhook_deliveries" USING btree ("replay_id") WHERE "webhook_deliveries"."replay_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_of_operator" ON "webhook_endpoints" USING btree ("corporate_account_id") WHERE "webhook_endpoints"."managed_by" = 'operator';--> statement-breakpoint
CREATE INDEX "webhook_endpoints_by_account" ON "webhook_endpoints" USING btree ("corporate_account_id","id");--> statement-breakpoint
ALTER TABLE "webhook_logs" ADD CONSTRAINT "webhook_logs_webhook_delivery_id_webhook_deliveries_id_fk" FOREIGN KEY ("webhook_delivery_id") REFERENCES "public"."webhook_deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_logs_attempt" ON "webhook_logs" USING btree ("webhook_delivery_id","attempt");--> statement-breakpoint
ALTER TABLE "corporate_accounts" DROP COLUMN "webhook_url";--> statement-breakpoint
ALTER TABLE "corporate_accounts" DROP COLUMN "webhook_secret";--> statement-breakpoint
ALTER TABLE "corporate_accounts" DROP COLUMN "webhook_secret_previous";--> statement-breakpoint
ALTER TABLE "corporate_accounts" DROP COLUMN "webhook_secret_previous_expires_at";--> statement-breakpoint
ALTER TABLE "webhook_events" DROP COLUMN "status";--> statement-breakpoint
ALTER TABLE "webhook_events" DROP COLUMN "attempts";--> statement-breakpoint
ALTER TABLE "webhook_events" DROP COLUMN "next_attempt_at";