DROP INDEX "forward_requests_open";--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "erc_standard" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "to" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "token_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ALTER COLUMN "amount" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "forward_requests" ADD COLUMN "purpose" text DEFAULT 'call' NOT NULL;--> statement-breakpoint
ALTER TABLE "transfer_orders" ADD COLUMN "purpose" text DEFAULT 'transfer' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "forward_requests_open" ON "forward_requests" USING btree ("chain_id","signer_address","forwarder_address","nonce","purpose") WHERE "forward_requests"."state" = 'open';