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
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_log_by_account" ON "audit_log" USING btree ("corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_key" ON "audit_log" USING btree ("key_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_by_resource" ON "audit_log" USING gin ("resource_ids");--> statement-breakpoint
CREATE FUNCTION "audit_log_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit_log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log" FOR EACH STATEMENT EXECUTE FUNCTION "audit_log_is_append_only"();
