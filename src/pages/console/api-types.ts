// Generated from the API document: npm run api:types
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly ServiceStatus: {
            /** @enum {string} */
            readonly service: "nft-issuance-service";
            readonly version: string;
            readonly timestamp: string;
            /** @enum {string} */
            readonly status: "ok" | "degraded";
            readonly unavailable: readonly string[];
            readonly queues: {
                readonly deploy: components["schemas"]["QueueBacklog"];
                readonly mint: components["schemas"]["QueueBacklog"];
                readonly transfer: components["schemas"]["QueueBacklog"];
                readonly webhook: components["schemas"]["QueueBacklog"];
            };
            readonly work: {
                readonly minting: {
                    readonly PENDING: number;
                    readonly PROCESSING: number;
                    readonly SENT: number;
                    readonly CONFIRMED: number;
                    readonly FAILED: number;
                    readonly CANCELLED: number;
                };
                readonly transfers: {
                    readonly PENDING: number;
                    readonly PROCESSING: number;
                    readonly SENT: number;
                    readonly CONFIRMED: number;
                    readonly FAILED: number;
                    readonly CANCELLED: number;
                };
                readonly burns: {
                    readonly PENDING: number;
                    readonly PROCESSING: number;
                    readonly SENT: number;
                    readonly CONFIRMED: number;
                    readonly FAILED: number;
                    readonly CANCELLED: number;
                };
                readonly certificateRevocations: {
                    readonly PENDING: number;
                    readonly PROCESSING: number;
                    readonly SENT: number;
                    readonly CONFIRMED: number;
                    readonly FAILED: number;
                    readonly CANCELLED: number;
                };
                readonly ownershipTransfers: {
                    readonly PENDING: number;
                    readonly PROCESSING: number;
                    readonly SENT: number;
                    readonly CONFIRMED: number;
                    readonly FAILED: number;
                    readonly CANCELLED: number;
                };
                readonly chainNotifications: {
                    readonly PENDING: number;
                    readonly PROCESSING: number;
                    readonly SENT: number;
                    readonly CONFIRMED: number;
                    readonly FAILED: number;
                    readonly CANCELLED: number;
                };
                readonly contracts: {
                    readonly DEPLOYING: number;
                    readonly ACTIVE: number;
                    readonly FAILED: number;
                };
                readonly webhookEvents: {
                    readonly PENDING: number;
                    readonly RETRYING: number;
                    readonly SUCCESS: number;
                    readonly FAILED: number;
                    readonly SKIPPED: number;
                };
            } | null;
            readonly oldestUnfinished: {
                /** @enum {string} */
                readonly type: "minting" | "transfers" | "burns" | "certificateRevocations" | "ownershipTransfers" | "chainNotifications" | "contracts";
                readonly id: string;
                readonly status: string;
                readonly createdAt: string;
            } | null;
            readonly lanes: readonly components["schemas"]["Lane"][];
            readonly held: readonly {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT";
                readonly orders: number;
                readonly since: string | null;
            }[];
            readonly paused: {
                readonly accounts: readonly {
                    readonly corporateId: string;
                    readonly pausedAt: string | null;
                }[];
                readonly chains: readonly {
                    readonly chainId: string;
                    readonly pausedAt: string;
                }[];
            };
            readonly walletsInFlight: readonly {
                readonly chainId: string;
                readonly walletAddress: string;
                readonly corporateId: string;
                readonly nonces: number;
            }[];
            readonly lowBalances: readonly {
                readonly chainId: string;
                readonly walletAddress: string;
                readonly corporateId: string;
                readonly balance: string;
            }[];
        };
        readonly QueueBacklog: {
            readonly messages: number;
            readonly bytes: number;
            readonly oldestAt: string | null;
        } | null;
        readonly Lane: {
            readonly chainId: string;
            readonly address: string;
            /** @enum {string} */
            readonly state: "ok" | "stuck" | "fee_capped" | "empty";
            readonly orderId: string | null;
            readonly reason: string | null;
            readonly since: string | null;
        };
        readonly OrderSearch: {
            readonly items: readonly components["schemas"]["OrderSummary"][];
        };
        readonly OrderSummary: {
            readonly id: string;
            readonly kind: string;
            readonly corporateId: string;
            readonly chainId: string;
            readonly walletAddress: string;
            /** @enum {string} */
            readonly state: "waiting" | "signed" | "confirmed" | "failed" | "cancelled";
            readonly nonce: number | null;
            readonly txHash: string | null;
            /** @enum {string|null} */
            readonly hold: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | null;
            readonly cancelRequestedAt: string | null;
            readonly explorerUrl: string;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly OrderStory: {
            readonly id: string;
            readonly kind: string;
            readonly corporateId: string;
            readonly chainId: string;
            readonly walletAddress: string;
            /** @enum {string} */
            readonly state: "waiting" | "signed" | "confirmed" | "failed" | "cancelled";
            readonly nonce: number | null;
            readonly txHash: string | null;
            /** @enum {string|null} */
            readonly hold: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | null;
            readonly cancelRequestedAt: string | null;
            readonly explorerUrl: string;
            readonly createdAt: string;
            readonly updatedAt: string;
            readonly order: {
                readonly [key: string]: unknown;
            };
            readonly blockNumber: number | null;
            readonly isFinal: boolean;
            readonly endings: number;
            readonly spent: string | null;
            readonly heldSince: string | null;
            readonly holdDetail: string | null;
            readonly attempts: readonly components["schemas"]["TransactionAttempt"][];
            readonly deliveries: readonly {
                readonly id: string;
                readonly eventId: string;
                readonly eventType: string;
                readonly orderId: string | null;
                readonly endpointId: string;
                /** @enum {string} */
                readonly status: "PENDING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED";
                readonly attempts: readonly {
                    readonly number: number;
                    /** @enum {string} */
                    readonly status: "SUCCESS" | "FAILED" | "RETRYING";
                    readonly responseStatusCode: number | null;
                    readonly errorMessage: string | null;
                    readonly at: string;
                }[];
                readonly nextAttemptAt: string | null;
                readonly createdAt: string;
                readonly updatedAt: string;
                readonly url: string | null;
            }[];
        };
        readonly TransactionAttempt: {
            readonly number: number;
            readonly nonce: number;
            readonly hash: string;
            /** @enum {string} */
            readonly purpose: "effect" | "cancel";
            readonly gasLimit: number;
            readonly maxFeePerGas: string;
            readonly maxPriorityFeePerGas: string;
            readonly isMined: boolean;
            readonly createdAt: string;
        };
        readonly OrderStatistics: {
            readonly from: string;
            readonly hours: readonly {
                readonly hour: string;
                readonly accepted: number;
                readonly confirmed: number;
                readonly failed: number;
                readonly medianSeconds: number | null;
                readonly slowestSeconds: number | null;
                readonly fees: {
                    readonly [key: string]: string;
                };
            }[];
            readonly chains: readonly {
                readonly id: string;
                readonly title: string;
                readonly isTest: boolean;
                readonly coin: string;
                readonly explorerUrl: string;
            }[];
        };
        readonly Wallets: {
            readonly unavailable: readonly string[];
            readonly items: readonly {
                readonly chainId: string;
                readonly corporateId: string;
                readonly walletAddress: string;
                readonly balance: string;
                readonly coin: string;
                readonly isLow: boolean;
                readonly spentLastDay: string;
                readonly replacedAt: string | null;
                readonly daysLeft: number | null;
                readonly explorerUrl: string;
            }[];
        };
        readonly WebhookHealth: {
            readonly endpoints: readonly {
                readonly endpointId: string;
                readonly corporateId: string;
                readonly url: string | null;
                readonly succeeded: number;
                readonly failed: number;
                readonly retrying: number;
            }[];
            readonly deliveries: readonly {
                readonly id: string;
                readonly endpointId: string;
                readonly corporateId: string;
                readonly eventType: string;
                readonly orderId: string | null;
                /** @enum {string} */
                readonly status: "PENDING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED";
                readonly attempts: number;
                readonly updatedAt: string;
            }[];
        };
        readonly AccountList: {
            readonly items: readonly components["schemas"]["AccountSummary"][];
            readonly nextCursor: string | null;
        };
        readonly AccountSummary: {
            readonly id: string;
            readonly corporateId: string;
            readonly name: string;
            readonly status: string;
            readonly walletAddress: string;
            readonly pausedAt: string | null;
            readonly hasLimits: boolean;
            readonly keys: number;
            readonly createdAt: string;
        };
        readonly AccountDetail: {
            readonly id: string;
            readonly corporateId: string;
            readonly name: string;
            readonly status: string;
            readonly walletAddress: string;
            readonly pausedAt: string | null;
            readonly hasLimits: boolean;
            readonly keys: number;
            readonly createdAt: string;
            readonly limits: components["schemas"]["LimitsAndUsage"];
            readonly keyList: readonly components["schemas"]["Key"][];
            readonly endpoints: readonly components["schemas"]["WebhookEndpoint"][];
        };
        readonly LimitsAndUsage: {
            readonly ordersPerDay: number | null;
            readonly pendingOrders: number | null;
            readonly receivers: readonly string[] | null;
            readonly contracts: readonly string[] | null;
            readonly chains: readonly string[] | null;
            readonly spend: {
                readonly [key: string]: {
                    readonly perDay: string | null;
                    readonly perOrder: string | null;
                    readonly gasPrice: string | null;
                };
            };
            readonly used: {
                readonly ordersToday: number;
                readonly pendingOrders: number;
                readonly spentToday: {
                    readonly [key: string]: string;
                };
            };
            readonly dayEndsAt: string;
        };
        readonly Key: {
            readonly id: string;
            readonly name: string;
            /** @enum {string} */
            readonly kind: "live" | "test";
            readonly scopes: readonly ("read" | "metadata" | "status" | "mint" | "transfer" | "deploy" | "ownership" | "revoke" | "webhooks" | "keys")[];
            readonly allowedAddresses: readonly string[] | null;
            readonly expiresAt: string | null;
            readonly lastUsedAt: string | null;
            readonly parentId: string | null;
            readonly createdAt: string;
        };
        readonly WebhookEndpoint: {
            readonly id: string;
            /** @enum {string} */
            readonly managedBy: "operator" | "account";
            readonly url: string | null;
            readonly description: string | null;
            readonly eventTypes: readonly string[] | null;
            /** @enum {string} */
            readonly status: "ENABLED" | "DISABLED";
            /** @enum {string|null} */
            readonly chainKind: "main" | "test" | null;
            readonly previousSecretExpiresAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
