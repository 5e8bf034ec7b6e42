ALTER TABLE "audit_counts" ADD COLUMN "seen" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_counts" ADD COLUMN "last_new" integer DEFAULT 0 NOT NULL;