/** What a lane's account is told once, while the reason lasts. */
export type LaneNotice = { readonly orderId: string | null } & (
  | { readonly type: 'lane.stuck'; readonly reason: string }
  /** In coins. */
  | { readonly type: 'wallet.low'; readonly balance: string; readonly threshold: string }
);

export type LaneNoticeType = LaneNotice['type'];
