DROP INDEX "account_keys_by_parent";--> statement-breakpoint
DROP INDEX "assets_by_account";--> statement-breakpoint
DROP INDEX "lanes_not_ok";--> statement-breakpoint
CREATE INDEX "approvals_undecided" ON "approvals" USING btree ("corporate_account_id","id") WHERE "approvals"."decision" is null;--> statement-breakpoint
CREATE INDEX "contracts_by_chain" ON "contracts" USING btree ("corporate_account_id","chain_id","id");--> statement-breakpoint
CREATE INDEX "contracts_by_standard" ON "contracts" USING btree ("corporate_account_id","erc_standard","id");