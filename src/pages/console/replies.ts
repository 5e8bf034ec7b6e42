/** What the console reads of the API's replies; the API document describes all of each. */

export interface Status {
  readonly version: string;
  readonly timestamp: string;
  readonly unavailable: readonly string[];
  readonly queues: Readonly<Record<string, { readonly messages: number; readonly oldestAt: string | null } | null>>;
  readonly work: Readonly<Record<string, Readonly<Record<string, number>>>> | null;
  readonly oldestUnfinished: { readonly type: string; readonly id: string; readonly createdAt: string } | null;
  readonly lanes: readonly Lane[];
  readonly held: readonly { readonly reason: string; readonly orders: number; readonly since: string | null }[];
  readonly paused: {
    readonly accounts: readonly { readonly corporateId: string; readonly pausedAt: string | null }[];
    readonly chains: readonly { readonly chainId: string; readonly pausedAt: string }[];
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
}

export interface Lane {
  readonly chainId: string;
  readonly address: string;
  readonly state: 'ok' | 'stuck' | 'fee_capped' | 'empty';
  readonly orderId: string | null;
  readonly reason: string | null;
  readonly since: string | null;
}

export interface Chain {
  readonly id: string;
  readonly title: string;
  readonly isTest: boolean;
  readonly coin: string;
}

export interface Hour {
  readonly hour: string;
  readonly accepted: number;
  readonly confirmed: number;
  readonly failed: number;
  readonly medianSeconds: number | null;
  readonly slowestSeconds: number | null;
  readonly fees: Readonly<Record<string, string>>;
}

export interface Statistics {
  readonly hours: readonly Hour[];
  readonly chains: readonly Chain[];
}

export interface Order {
  readonly id: string;
  readonly kind: string;
  readonly corporateId: string;
  readonly chainId: string;
  readonly walletAddress: string;
  readonly state: 'waiting' | 'signed' | 'confirmed' | 'failed' | 'cancelled';
  readonly nonce: number | null;
  readonly txHash: string | null;
  readonly hold: string | null;
  readonly cancelRequestedAt: string | null;
  readonly explorerUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Orders {
  readonly items: readonly Order[];
}

export interface Delivery {
  readonly id: string;
  readonly eventType: string;
  readonly status: string;
  readonly url: string | null;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly attempts: readonly {
    readonly number: number;
    readonly status: string;
    readonly responseStatusCode: number | null;
    readonly errorMessage: string | null;
    readonly at: string;
  }[];
}

export interface Attempt {
  readonly number: number;
  readonly nonce: number;
  readonly hash: string;
  readonly purpose: 'effect' | 'cancel';
  readonly gasLimit: number | null;
  readonly maxFeePerGas: string | null;
  readonly maxPriorityFeePerGas: string | null;
  readonly isMined: boolean;
  readonly createdAt: string;
}

export interface Story extends Order {
  readonly order: Readonly<Record<string, unknown>>;
  readonly blockNumber: number | null;
  readonly isFinal: boolean;
  readonly endings: number;
  readonly spent: string | null;
  readonly heldSince: string | null;
  readonly holdDetail: string | null;
  readonly attempts: readonly Attempt[];
  readonly deliveries: readonly Delivery[];
}

export interface Wallets {
  readonly unavailable: readonly string[];
  readonly items: readonly {
    readonly chainId: string;
    readonly corporateId: string;
    readonly walletAddress: string;
    readonly balance: string;
    readonly coin: string;
    readonly isLow: boolean;
    /** Null unless it is a relayer wallet that was replaced. */
    readonly replacedAt: string | null;
    readonly spentLastDay: string;
    readonly daysLeft: number | null;
    readonly explorerUrl: string;
  }[];
}

export interface Webhooks {
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
    readonly corporateId: string;
    readonly eventType: string;
    readonly orderId: string | null;
    readonly status: string;
    readonly attempts: number;
    readonly updatedAt: string;
  }[];
}

export interface Account {
  readonly id: string;
  readonly corporateId: string;
  readonly name: string;
  readonly status: string;
  readonly walletAddress: string;
  readonly pausedAt: string | null;
  readonly hasLimits: boolean;
  readonly keys: number;
  readonly createdAt: string;
}

export interface Accounts {
  readonly items: readonly Account[];
  readonly nextCursor: string | null;
}

export interface AccountDetail extends Account {
  readonly limits: {
    readonly ordersPerDay: number | null;
    readonly pendingOrders: number | null;
    readonly receivers: readonly string[] | null;
    readonly contracts: readonly string[] | null;
    readonly chains: readonly string[] | null;
    readonly spend: Readonly<
      Record<
        string,
        { readonly perDay: string | null; readonly perOrder: string | null; readonly gasPrice: string | null }
      >
    >;
    readonly used: {
      readonly ordersToday: number;
      readonly pendingOrders: number;
      readonly spentToday: Readonly<Record<string, string>>;
    };
  };
  readonly keyList: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly scopes: readonly string[];
    readonly expiresAt: string | null;
    readonly lastUsedAt: string | null;
  }[];
  readonly endpoints: readonly {
    readonly id: string;
    readonly managedBy: string;
    readonly url: string | null;
    readonly status: string;
    readonly eventTypes: readonly string[] | null;
  }[];
}
