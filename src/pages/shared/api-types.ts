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
                readonly import: components["schemas"]["QueueBacklog"];
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
                readonly baseUriChanges: {
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
            readonly awaiting: number | null;
            readonly oldestUnfinished: {
                /** @enum {string} */
                readonly type: "minting" | "transfers" | "burns" | "certificateRevocations" | "ownershipTransfers" | "chainNotifications" | "baseUriChanges" | "contracts";
                readonly id: string;
                readonly status: string;
                readonly createdAt: string;
            } | null;
            readonly lanes: readonly components["schemas"]["Lane"][];
            readonly held: readonly {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly orders: number;
                readonly since: string | null;
            }[];
            readonly paused: {
                readonly accounts: readonly {
                    readonly corporateId: string;
                    readonly corporateName: string;
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
                readonly corporateName: string;
                readonly nonces: number;
            }[];
            readonly lowBalances: readonly {
                readonly chainId: string;
                readonly walletAddress: string;
                readonly corporateId: string;
                readonly corporateName: string;
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
            readonly nextCursor: string | null;
        };
        readonly OrderSummary: {
            readonly id: string;
            readonly kind: string;
            readonly corporateId: string;
            readonly corporateName: string;
            readonly contractAddress: string | null;
            readonly tokenId: string | null;
            readonly errorMessage: string | null;
            readonly chainId: string;
            readonly walletAddress: string;
            /** @enum {string} */
            readonly state: "waiting" | "signed" | "confirmed" | "failed" | "cancelled";
            readonly nonce: number | null;
            readonly txHash: string | null;
            /** @enum {string|null} */
            readonly hold: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST" | null;
            readonly heldSince: string | null;
            readonly holdDetail: string | null;
            readonly cancelRequestedAt: string | null;
            readonly explorerUrl: string;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly OrderStory: {
            readonly id: string;
            readonly kind: string;
            readonly corporateId: string;
            readonly corporateName: string;
            readonly contractAddress: string | null;
            readonly tokenId: string | null;
            readonly errorMessage: string | null;
            readonly chainId: string;
            readonly walletAddress: string;
            /** @enum {string} */
            readonly state: "waiting" | "signed" | "confirmed" | "failed" | "cancelled";
            readonly nonce: number | null;
            readonly txHash: string | null;
            /** @enum {string|null} */
            readonly hold: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST" | null;
            readonly heldSince: string | null;
            readonly holdDetail: string | null;
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
            readonly sharedBy: number;
            readonly spent: string | null;
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
                readonly cancelled: number;
                readonly awaiting: number;
                readonly medianSeconds: number | null;
                readonly p95Seconds: number | null;
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
                readonly corporateName: string;
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
                readonly corporateName: string;
                readonly url: string | null;
                readonly succeeded: number;
                readonly failed: number;
                readonly retrying: number;
            }[];
            readonly deliveries: readonly {
                readonly id: string;
                readonly endpointId: string;
                readonly corporateId: string;
                readonly corporateName: string;
                readonly eventType: string;
                readonly orderId: string | null;
                /** @enum {string} */
                readonly status: "PENDING" | "RETRYING" | "SUCCESS" | "FAILED" | "SKIPPED";
                readonly attempts: number;
                readonly responseStatusCode: number | null;
                readonly errorMessage: string | null;
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
            readonly issuer: {
                readonly name: string;
                readonly logoUrl: string;
                readonly domain: string;
                readonly confirmedAt: string;
                readonly publishesDid: boolean;
            } | null;
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
            readonly issuer: {
                readonly name: string;
                readonly logoUrl: string;
                readonly domain: string;
                readonly confirmedAt: string;
                readonly publishesDid: boolean;
            } | null;
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
        readonly Collection: {
            readonly name: string;
            readonly symbol?: string;
            readonly description?: string;
            readonly image?: string;
            readonly banner_image?: string;
            readonly featured_image?: string;
            readonly external_link?: string;
            readonly collaborators?: readonly string[];
        };
        readonly CollectionFacts: {
            readonly chainId: string;
            readonly contractAddress: string;
            /** @enum {string} */
            readonly ercStandard: "721" | "1155";
            /** @enum {string} */
            readonly contractType: "standard" | "certificate";
            readonly ownerAddress: string | null;
            readonly hasPublishedCode: boolean;
            readonly tokenCount: number;
            readonly hasMoreTokens: boolean;
        };
        readonly CollectionTokens: {
            readonly tokenIds: readonly string[];
            readonly nextBefore: string | null;
        };
        readonly WebhookDeliveryWithPayload: {
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
            readonly payload: string;
        };
        readonly ReplayedWebhookDeliveries: {
            readonly replayed: number;
            readonly hasMore: boolean;
        };
        readonly Metadata: {
            readonly _id: string;
            readonly chainId: string;
            readonly contractAddress: string;
            readonly tokenId: string;
            readonly holder: string | null;
            readonly name: string;
            readonly description: string | null;
            readonly imageUrl: string;
            readonly externalUrl: string | null;
            readonly animationUrl: string | null;
            readonly backgroundColor: string | null;
            readonly attributes: readonly {
                readonly traitType: string;
                readonly value: string | number | boolean;
                readonly displayType?: string;
            }[];
            readonly utility: {
                /** @enum {string} */
                readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                readonly validationUrl?: string;
                readonly data: {
                    readonly [key: string]: unknown;
                };
            };
            /** @enum {string} */
            readonly schemaVersion: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
            readonly currentStatus: string | null;
            readonly standardFields: {
                readonly name: string;
                readonly description?: string;
                readonly image: string;
                readonly external_url?: string;
                readonly animation_url?: string;
                readonly background_color?: string;
                readonly attributes: readonly {
                    readonly trait_type: string;
                    readonly value: string | number | boolean;
                    readonly display_type?: string;
                }[];
                readonly utility: {
                    /** @enum {string} */
                    readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                    readonly validation_url?: string;
                    readonly data: {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly metadataHash: string | null;
            readonly version: number;
            readonly frozenAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly MetadataVersion: {
            readonly version: number;
            /** @enum {string} */
            readonly schemaVersion: "opensea_flexible@1.0.0" | "ticket_schema@1.0.0" | "coupon_schema@1.0.0" | "cert_schema@1.0.0";
            readonly currentStatus: string | null;
            readonly standardFields: {
                readonly name: string;
                readonly description?: string;
                readonly image: string;
                readonly external_url?: string;
                readonly animation_url?: string;
                readonly background_color?: string;
                readonly attributes: readonly {
                    readonly trait_type: string;
                    readonly value: string | number | boolean;
                    readonly display_type?: string;
                }[];
                readonly utility: {
                    /** @enum {string} */
                    readonly type: "Ticket" | "Coupon" | "Certificate" | "Flexible";
                    readonly validation_url?: string;
                    readonly data: {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly replacedAt: string;
            /** @enum {string|null} */
            readonly replacedBy: "key" | "global" | null;
            readonly replacedByKeyId: string | null;
        };
        readonly CollectionMetadata: {
            readonly contractId: string;
            readonly version: number;
            readonly name: string;
            readonly symbol: string | null;
            readonly description: string | null;
            readonly imageUrl: string | null;
            readonly bannerImageUrl: string | null;
            readonly featuredImageUrl: string | null;
            readonly externalUrl: string | null;
            readonly collaborators: readonly string[];
            readonly createdAt: string;
            /** @enum {string|null} */
            readonly createdBy: "key" | "global" | null;
            readonly createdByKeyId: string | null;
        };
        readonly NewKey: {
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
            readonly key: string | null;
        };
        readonly Approval: {
            readonly id: string;
            /** @enum {string} */
            readonly action: "TRANSFER_OWNERSHIP" | "DEPLOY_FORWARDER" | "DEPLOY_CONTRACT" | "SWITCH_OFF_APPROVALS";
            /** @enum {string} */
            readonly status: "WAITING_FOR_APPROVAL" | "APPROVED" | "REFUSED" | "CANCELLED" | "EXPIRED";
            readonly chainId: string | null;
            readonly contractAddress: string | null;
            readonly newOwner: string | null;
            readonly alias: string | null;
            readonly trustedForwarder: string | null;
            readonly requestedBy: string | null;
            readonly expiresAt: string;
            readonly decidedAt: string | null;
            readonly decidedBy: string | null;
            readonly createdAt: string;
        };
        readonly ApprovalSetting: {
            readonly required: boolean;
        };
        readonly AuditEntry: {
            readonly id: string;
            /** @enum {string} */
            readonly actor: "key" | "global" | "admin" | "command";
            readonly keyId: string | null;
            readonly address: string | null;
            readonly requestId: string | null;
            readonly method: string;
            readonly route: string;
            readonly resourceIds: readonly string[];
            readonly bodyHash: string | null;
            readonly statusCode: number | null;
            readonly createdAt: string;
        };
        readonly Claim: {
            readonly id: string;
            /** @enum {string} */
            readonly status: "OPEN" | "CLAIMED" | "CANCELLED" | "EXPIRED" | "BLOCKED";
            readonly chainId: string;
            readonly contractAddress: string;
            readonly tokenId: string;
            readonly amount: number;
            readonly expiresAt: string;
            readonly receiverAddress: string | null;
            /** @enum {string|null} */
            readonly orderStatus: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | null;
            readonly txHash: string | null;
            readonly metadataId: string;
            readonly hasPin: boolean;
            readonly pinFailures: number;
            readonly claimedAt: string | null;
            readonly createdAt: string;
        };
        readonly NewClaim: {
            readonly id: string;
            /** @enum {string} */
            readonly status: "OPEN" | "CLAIMED" | "CANCELLED" | "EXPIRED" | "BLOCKED";
            readonly chainId: string;
            readonly contractAddress: string;
            readonly tokenId: string;
            readonly amount: number;
            readonly expiresAt: string;
            readonly receiverAddress: string | null;
            /** @enum {string|null} */
            readonly orderStatus: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | null;
            readonly txHash: string | null;
            readonly metadataId: string;
            readonly hasPin: boolean;
            readonly pinFailures: number;
            readonly claimedAt: string | null;
            readonly createdAt: string;
            readonly url: string | null;
        };
        readonly Import: {
            readonly id: string;
            /** @enum {string} */
            readonly kind: "metadata" | "mints" | "tokens";
            /** @enum {string} */
            readonly status: "UPLOADING" | "CHECKING" | "CHECKED" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED";
            readonly chainId: string;
            readonly contractAddress: string | null;
            readonly rows: number;
            readonly rowsChecked: number;
            readonly faultyRows: number;
            readonly accepted: number;
            readonly refused: number;
            readonly waiting: {
                readonly message: string;
                readonly until: string | null;
            } | null;
            readonly createdAt: string;
            readonly startedAt: string | null;
            readonly endedAt: string | null;
            readonly columns: readonly string[] | null;
            readonly preview: readonly {
                readonly row: number;
                readonly cells: readonly string[];
            }[];
            readonly faultCount: number;
            readonly faults: readonly {
                readonly row: number;
                readonly column: string | null;
                /** @enum {string} */
                readonly code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "not_allowed" | "too_short" | "too_long" | "too_small" | "too_big" | "invalid_value" | "not_found" | "not_changeable" | "limit" | "wrong_signature" | "wrong_nonce" | "expired" | "not_holder" | "more_issues";
                readonly message: string;
            }[];
        };
        readonly ListedImport: {
            readonly id: string;
            /** @enum {string} */
            readonly kind: "metadata" | "mints" | "tokens";
            /** @enum {string} */
            readonly status: "UPLOADING" | "CHECKING" | "CHECKED" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED";
            readonly chainId: string;
            readonly contractAddress: string | null;
            readonly rows: number;
            readonly rowsChecked: number;
            readonly faultyRows: number;
            readonly accepted: number;
            readonly refused: number;
            readonly waiting: {
                readonly message: string;
                readonly until: string | null;
            } | null;
            readonly createdAt: string;
            readonly startedAt: string | null;
            readonly endedAt: string | null;
        };
        readonly Holding: {
            readonly chainId: string;
            readonly contractAddress: string;
            readonly tokenId: string;
            readonly holder: string;
            readonly amount: string;
        };
        readonly LinkedClaim: {
            readonly id: string;
            /** @enum {string} */
            readonly status: "OPEN" | "CLAIMED" | "CANCELLED" | "EXPIRED" | "BLOCKED";
            readonly chainId: string;
            readonly contractAddress: string;
            readonly tokenId: string;
            readonly amount: number;
            readonly expiresAt: string;
            readonly receiverAddress: string | null;
            /** @enum {string|null} */
            readonly orderStatus: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | null;
            readonly txHash: string | null;
            readonly issuer: {
                readonly name: string;
                readonly logoUrl: string;
                readonly domain: string;
            } | null;
            readonly walletAddress: string;
            readonly contractName: string | null;
            /** @enum {string} */
            readonly ercStandard: "721" | "1155";
            readonly isCertificate: boolean;
            readonly name: string;
            readonly description: string | null;
            readonly imageUrl: string;
            readonly needsPin: boolean;
        };
        readonly MintingOrder: {
            readonly id: string;
            readonly chainId: string;
            readonly contractAddress: string;
            readonly receiverAddress: string;
            readonly tokenId: string;
            readonly amount: number;
            readonly metadataId: string;
            /** @enum {string} */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            /** @enum {string} */
            readonly mode: "direct" | "relay";
            readonly txHash: string | null;
            readonly mintingGasUsed: string | null;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly TransferOrder: {
            readonly id: string;
            readonly chainId: string;
            /** @enum {string} */
            readonly purpose: "transfer" | "cancel";
            readonly contractAddress: string;
            readonly from: string;
            readonly to: string | null;
            readonly tokenId: string | null;
            readonly amount: number | null;
            /** @enum {string|null} */
            readonly ercStandard: "721" | "1155" | null;
            /** @enum {string} */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            readonly txHash: string | null;
            readonly transferGasUsed: string | null;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly BurnOrder: {
            readonly id: string;
            readonly chainId: string;
            readonly contractAddress: string;
            readonly from: string;
            readonly tokenId: string;
            readonly amount: number;
            /** @enum {string} */
            readonly ercStandard: "721" | "1155";
            /** @enum {string} */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            readonly txHash: string | null;
            readonly burnGasUsed: string | null;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly CertificateRevocation: {
            readonly id: string;
            readonly chainId: string;
            readonly contractAddress: string;
            readonly from: string;
            readonly tokenId: string;
            readonly amount: number;
            /** @enum {string} */
            readonly ercStandard: "721" | "1155";
            readonly reason: string;
            /** @enum {string} */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            readonly txHash: string | null;
            readonly revocationGasUsed: string | null;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly OwnershipTransfer: {
            readonly jobId: string;
            readonly contractId: string;
            readonly chainId: string;
            readonly contractAddress: string;
            readonly newOwner: string;
            /** @enum {string} */
            readonly status: "QUEUED" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED" | "WAITING_FOR_APPROVAL";
            readonly txHash: string | null;
            readonly transferGasUsed: string | null;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly ChainNotification: {
            readonly id: string;
            readonly contractId: string;
            readonly metadataId: string | null;
            readonly chainId: string;
            readonly contractAddress: string;
            readonly tokenId: string | null;
            /** @enum {string} */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            readonly txHash: string | null;
            readonly notificationGasUsed: string | null;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly BaseUriChange: {
            readonly id: string;
            readonly contractId: string;
            readonly chainId: string;
            readonly contractAddress: string;
            readonly metadataBaseUri: string;
            /** @enum {string} */
            readonly status: "PENDING" | "PROCESSING" | "SENT" | "CONFIRMED" | "FAILED" | "CANCELLED";
            readonly txHash: string | null;
            readonly baseUriGasUsed: string | null;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
            readonly createdAt: string;
            readonly updatedAt: string;
        };
        readonly DeployedContract: {
            readonly _id: string;
            readonly chainId: string;
            readonly name: string | null;
            readonly symbol: string | null;
            readonly alias: string | null;
            /** @enum {string} */
            readonly ercStandard: "721" | "1155" | "Forwarder";
            /** @enum {string|null} */
            readonly contractType: "standard" | "certificate" | null;
            /** @enum {string} */
            readonly status: "DEPLOYING" | "ACTIVE" | "FAILED" | "WAITING_FOR_APPROVAL";
            readonly currentOwnerAddress: string | null;
            readonly royaltyReceiver: string | null;
            readonly royaltyFeeBps: number | null;
            readonly metadataBaseUri: string | null;
            readonly trustedForwarder: string | null;
            /** @enum {string|null} */
            readonly burnAuth: "issuer" | "holder" | "both" | "neither" | null;
            readonly transferOwnerAddress: string | null;
            readonly contractAddress: string | null;
            readonly onChain: {
                readonly ownerAddress: string | null;
                readonly blockNumber: number;
                /** @enum {string|null} */
                readonly incomplete: "TOO_MANY_TRANSFERS" | "UNREADABLE" | "RANGES" | "REGISTERED_LATER" | null;
            } | null;
            /** @enum {string} */
            readonly origin: "deployed" | "registered";
            readonly deployTxHash: string | null;
            readonly deployGasUsed: string | null;
            readonly corporateId: string;
            readonly totalFeeNative: string | null;
            readonly nativePriceUsd: number | null;
            readonly totalFeeUsd: number | null;
            readonly nativePriceKrw: number | null;
            readonly totalFeeKrw: number | null;
            readonly errorMessage: string | null;
            readonly hold: {
                /** @enum {string} */
                readonly reason: "NOT_NOW" | "FUNDS" | "FEE_CAP" | "INACTIVE" | "PAUSED" | "LIMIT" | "EARLIER_REQUEST";
                readonly detail: string;
                readonly since: string;
            } | null;
            readonly cancelRequestedAt: string | null;
            readonly completedAt: string | null;
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
