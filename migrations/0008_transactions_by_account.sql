DROP INDEX "ownership_transfers_by_account";--> statement-breakpoint
CREATE INDEX "transactions_by_account" ON "transactions" USING btree ("corporate_account_id","id");