import type { components } from '../shared/api-types.ts';

type Replies = components['schemas'];

export type Status = Replies['ServiceStatus'];
export type Orders = Replies['OrderSearch'];
export type Order = Replies['OrderSummary'];
export type Story = Replies['OrderStory'];
export type Attempt = Replies['TransactionAttempt'];
export type Statistics = Replies['OrderStatistics'];
export type Hour = Statistics['hours'][number];
export type Wallets = Replies['Wallets'];
export type Webhooks = Replies['WebhookHealth'];
export type Replayed = Replies['ReplayedWebhookDeliveries'];
export type Accounts = Replies['AccountList'];
export type AccountDetail = Replies['AccountDetail'];
export type AuditEntry = Replies['AuditEntry'];
