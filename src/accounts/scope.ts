/** What a caller can be allowed to do. No scope implies another. */
export type Scope = 'read' | 'metadata' | 'mint' | 'transfer' | 'deploy' | 'ownership' | 'webhooks' | 'keys';
