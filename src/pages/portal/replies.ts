import type { components } from '../shared/api-types.ts';
import type { ORDER_KINDS } from '../shared/order-kinds.ts';

type Replies = components['schemas'];

/** A page of a list, newest first. */
export interface List<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** What the replies about orders of all kinds have in common. */
export type Reply = Replies[keyof typeof ORDER_KINDS];
export type Hold = NonNullable<Replies['MintingOrder']['hold']>;
export type DeliveryWithPayload = Replies['WebhookDeliveryWithPayload'];
export type Contract = Replies['DeployedContract'];
export type Metadata = Replies['Metadata'];
export type CollectionMetadata = Replies['CollectionMetadata'];
export type Holding = Replies['Holding'];
export type MetadataVersion = Replies['MetadataVersion'];
export type Import = Replies['Import'];
export type ListedImport = Replies['ListedImport'];
export type LimitsAndUsage = Replies['LimitsAndUsage'];
export type Key = Replies['Key'];
export type Approval = Replies['Approval'];
export type ApprovalSetting = Replies['ApprovalSetting'];
export type AuditEntry = Replies['AuditEntry'];
export type Claim = Replies['Claim'];
export type NewClaim = Replies['NewClaim'];
export type Delivery = Omit<DeliveryWithPayload, 'payload'>;
export type Replayed = Replies['ReplayedWebhookDeliveries'];
export type Endpoint = Replies['WebhookEndpoint'];
