ALTER TABLE "contracts" ADD COLUMN "registered_at_block" bigint;--> statement-breakpoint
ALTER TABLE "forward_requests" ADD COLUMN "deadline" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "contracts_registered" ON "contracts" USING btree ("contract_address") WHERE "contracts"."registered_at_block" is not null;--> statement-breakpoint
CREATE INDEX "webhook_logs_bodies" ON "webhook_logs" USING btree ("id") WHERE "webhook_logs"."payload_sent" <> '';