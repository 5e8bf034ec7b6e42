/** What a key of an account can be allowed to do. No scope implies another. */
export const SCOPES = [
  'read',
  'metadata',
  'status',
  'mint',
  'transfer',
  'deploy',
  'ownership',
  'revoke',
  'webhooks',
  'keys',
] as const;

export type Scope = (typeof SCOPES)[number];
