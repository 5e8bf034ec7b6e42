/**
 * The states of an event:
 * - `PENDING`: not attempted yet
 * - `RETRYING`: an attempt failed, another follows
 * - `SUCCESS`, `FAILED`: final
 * - `SKIPPED`: final; the account has no webhook URL
 */
export const EVENT_STATUSES = ['PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'SKIPPED'] as const;

export type EventStatus = (typeof EVENT_STATUSES)[number];

/** The states of events that get another attempt. */
export const UNFINISHED_EVENT_STATUSES = ['PENDING', 'RETRYING'] as const satisfies readonly EventStatus[];

/** What an attempt makes of its event. */
export const ATTEMPT_STATUSES = ['SUCCESS', 'FAILED', 'RETRYING'] as const satisfies readonly EventStatus[];

export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
