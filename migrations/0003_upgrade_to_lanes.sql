ALTER TABLE "forward_requests" ADD COLUMN "read_at_block" bigint;--> statement-breakpoint
ALTER TABLE "lanes" ADD COLUMN "woken_at" timestamp (3) with time zone;--> statement-breakpoint
-- What the first engine had under way or had ended. Ended rows keep their nonces, which are used up. Work that was not
-- signed waits; work that was signed keeps its nonce and the hash of each of its attempts, so that whichever was mined ends it.
INSERT INTO "transactions" ("id", "kind", "order_id", "corporate_account_id", "chain_id", "wallet_address", "state", "nonce",
  "next_try_at", "hold_reason", "held_since", "tx_hash", "is_final", "endings", "created_at", "updated_at")
SELECT o."id",
  CASE o."kind" WHEN 'fill' THEN 'filler' WHEN 'transfer-ownership' THEN 'ownership-transfer' ELSE o."kind" END,
  o."order_id",
  coalesce(m."corporate_account_id", r."corporate_account_id", h."corporate_account_id", c."corporate_account_id", owner."id"),
  o."chain_id",
  lower(o."wallet_address"),
  CASE o."state" WHEN 'preparing' THEN 'waiting' WHEN 'broadcast' THEN 'signed' WHEN 'reverted' THEN 'failed'
    WHEN 'dropped' THEN 'failed' ELSE o."state" END,
  CASE o."state" WHEN 'preparing' THEN NULL ELSE o."nonce" END,
  o."updated_at",
  CASE WHEN o."state" = 'preparing' AND o."held_at" IS NOT NULL THEN 'funds' END,
  CASE WHEN o."state" = 'preparing' THEN o."held_at" END,
  CASE WHEN o."state" IN ('confirmed', 'reverted') THEN coalesce(m."tx_hash", r."tx_hash", h."tx_hash", c."deploy_tx_hash") END,
  o."state" IN ('confirmed', 'reverted', 'dropped'),
  CASE WHEN o."state" IN ('confirmed', 'reverted', 'dropped') THEN 1 ELSE 0 END,
  o."created_at",
  o."updated_at"
FROM "old_transactions" o
LEFT JOIN "minting_orders" m ON o."kind" IN ('mint', 'relay-mint') AND m."id" = o."order_id"
LEFT JOIN "transfer_orders" r ON o."kind" = 'transfer' AND r."id" = o."order_id"
LEFT JOIN "ownership_transfers" h ON o."kind" = 'transfer-ownership' AND h."id" = o."order_id"
LEFT JOIN "contracts" c ON o."kind" = 'deploy' AND c."id" = o."order_id"
LEFT JOIN LATERAL (
  SELECT a."id" FROM "corporate_accounts" a WHERE lower(a."wallet_address") = lower(o."wallet_address") ORDER BY a."id" LIMIT 1
) owner ON o."kind" = 'fill'
WHERE coalesce(m."id", r."id", h."id", c."id", owner."id") IS NOT NULL;--> statement-breakpoint
-- Of the attempts before the newest the first engine kept the hash only; of a nonce that was lost, not even that it was.
INSERT INTO "attempts" ("transaction_id", "number", "nonce", "hash", "raw", "purpose", "max_fee_per_gas",
  "max_priority_fee_per_gas", "created_at")
SELECT o."id", attempt."number", coalesce(t."nonce", -1), attempt."hash",
  CASE WHEN attempt."number" = cardinality(o."hashes") THEN o."raw_transaction" END,
  'effect',
  CASE WHEN attempt."number" = cardinality(o."hashes") THEN o."max_fee_per_gas" END,
  CASE WHEN attempt."number" = cardinality(o."hashes") THEN o."max_priority_fee_per_gas" END,
  coalesce(o."signed_at", o."updated_at")
FROM "old_transactions" o
JOIN "transactions" t ON t."id" = o."id"
CROSS JOIN LATERAL unnest(o."hashes") WITH ORDINALITY AS attempt("hash", "number")
ON CONFLICT ("hash") DO NOTHING;--> statement-breakpoint
-- Orders that the first engine had not taken up yet, or had taken up and nothing more.
INSERT INTO "transactions" ("id", "kind", "order_id", "corporate_account_id", "chain_id", "wallet_address", "state",
  "next_try_at", "created_at", "updated_at")
SELECT substr(o."id", 1, 12) || substr(md5(o."kind" || o."id"), 1, 12), o."kind", o."id", o."corporate_account_id",
  o."chain_id", lower(a."wallet_address"), 'waiting', o."updated_at", o."created_at", o."updated_at"
FROM (
  SELECT CASE "mode" WHEN 'relay' THEN 'relay-mint' ELSE 'mint' END AS "kind", "id", "corporate_account_id", "chain_id",
    "created_at", "updated_at"
  FROM "minting_orders" WHERE "status" IN ('PENDING', 'PROCESSING', 'SENT')
  UNION ALL
  SELECT 'transfer', "id", "corporate_account_id", "chain_id", "created_at", "updated_at"
  FROM "transfer_orders" WHERE "status" IN ('PENDING', 'PROCESSING', 'SENT')
  UNION ALL
  SELECT 'ownership-transfer', "id", "corporate_account_id", "chain_id", "created_at", "updated_at"
  FROM "ownership_transfers" WHERE "status" IN ('PENDING', 'PROCESSING', 'SENT')
  UNION ALL
  SELECT 'deploy', "id", "corporate_account_id", "chain_id", "created_at", "updated_at"
  FROM "contracts" WHERE "status" = 'DEPLOYING'
) o
JOIN "corporate_accounts" a ON a."id" = o."corporate_account_id"
ON CONFLICT ("kind", "order_id") DO NOTHING;--> statement-breakpoint
DROP TABLE "old_transactions" CASCADE;
