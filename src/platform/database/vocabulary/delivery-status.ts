/**
 * The states of the delivery of an event to an endpoint:
 * - `PENDING`: not attempted yet
 * - `RETRYING`: an attempt failed, another follows
 * - `SUCCESS`, `FAILED`: final
 * - `SKIPPED`: final; the endpoint has no URL, or is not ENABLED
 */
export const DELIVERY_STATUSES = ['PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'SKIPPED'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The states of deliveries that get another attempt. */
export const UNFINISHED_DELIVERY_STATUSES = ['PENDING', 'RETRYING'] as const satisfies readonly DeliveryStatus[];

/** What an attempt makes of its delivery. */
export const ATTEMPT_STATUSES = ['SUCCESS', 'FAILED', 'RETRYING'] as const satisfies readonly DeliveryStatus[];

export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
