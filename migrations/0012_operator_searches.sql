DROP INDEX "minting_orders_by_contract";--> statement-breakpoint
DROP INDEX "minting_orders_by_receiver";--> statement-breakpoint
DROP INDEX "transfer_orders_by_contract";--> statement-breakpoint
DROP INDEX "transfer_orders_by_holder";--> statement-breakpoint
CREATE INDEX "contracts_by_tx" ON "contracts" USING btree ("deploy_tx_hash");--> statement-breakpoint
CREATE INDEX "corporate_accounts_by_wallet" ON "corporate_accounts" USING btree ("wallet_address");--> statement-breakpoint
CREATE INDEX "ownership_transfers_by_contract" ON "ownership_transfers" USING btree ("contract_address","id");--> statement-breakpoint
CREATE INDEX "ownership_transfers_by_owner" ON "ownership_transfers" USING btree (lower("new_owner_address"),"id");--> statement-breakpoint
CREATE INDEX "ownership_transfers_by_tx" ON "ownership_transfers" USING btree ("tx_hash");--> statement-breakpoint
CREATE INDEX "relayer_wallets_replaced" ON "relayer_wallets" USING btree ("replaced_at") WHERE "relayer_wallets"."replaced_at" is not null;--> statement-breakpoint
CREATE INDEX "transfer_orders_by_receiver" ON "transfer_orders" USING btree (lower("to"),"corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "transfer_orders_by_token" ON "transfer_orders" USING btree ("contract_address","token_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failing" ON "webhook_deliveries" USING btree ("id") WHERE "webhook_deliveries"."status" in ('FAILED', 'RETRYING');--> statement-breakpoint
CREATE INDEX "minting_orders_by_contract" ON "minting_orders" USING btree ("contract_address","corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "minting_orders_by_receiver" ON "minting_orders" USING btree (lower("receiver_address"),"corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "transfer_orders_by_contract" ON "transfer_orders" USING btree ("contract_address","corporate_account_id","id");--> statement-breakpoint
CREATE INDEX "transfer_orders_by_holder" ON "transfer_orders" USING btree (lower("from"),"corporate_account_id","id");