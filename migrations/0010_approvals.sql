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
ALTER TABLE "corporate_accounts" ADD COLUMN "approvals_required" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "transactions" ADD COLUMN "approval_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_corporate_account_id_corporate_accounts_id_fk" FOREIGN KEY ("corporate_account_id") REFERENCES "public"."corporate_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_requested_by_account_keys_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."account_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_decided_by_account_keys_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."account_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approvals_by_account" ON "approvals" USING btree ("corporate_account_id","id");