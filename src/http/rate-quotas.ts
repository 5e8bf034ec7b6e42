/**
 * How many requests a minute each limit of wrangler.toml allows. The platform's limiter only says whether it is
 * reached; a test compares the numbers.
 */
export const QUOTAS = {
  RATE_LIMITER: 60_000,
  DEPLOY_LIMITER: 300,
  RELAY_LIMITER: 3_000,
  READ_LIMITER: 3_000,
  INDEX_LIMITER: 600,
  UPLOAD_LIMITER: 300,
  SIGNATURE_LIMITER: 3_000,
  WEBHOOK_LIMITER: 300,
  REFUSAL_LIMITER: 300,
  ADDRESS_LIMITER: 1_200,
  UNKNOWN_CONTRACT_LIMITER: 120,
  SITE_LIMITER: 12_000,
} as const;
