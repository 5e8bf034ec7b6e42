import { concat, numberToHex, type Hex } from 'viem';
import type { z } from 'zod';
import { momentField } from '../core/fields.ts';
import type { InputIssue } from '../core/domain-error.ts';
import type { EpochMs } from '../core/epoch-ms.ts';

const MS = 1_000;

/** The deadline of a signed request, to the second. */
export const deadlineField = momentField
  .refine((time) => !(time.getTime() < 0), 'must not be before 1970')
  .transform((time) => new Date(Math.floor(time.getTime() / MS) * MS))
  .nullish()
  .meta({
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'After this time the service refuses the request, and fails its order if nothing has been signed for it. It is part of the signed data, in whole seconds. Only this service keeps it: the forwarder does not, so anyone who has the signature can still submit it there. Default: none',
    example: '2027-01-31T12:00:00Z',
  });

/** A parsed {@link deadlineField}; null and undefined for none. */
export type Deadline = z.output<typeof deadlineField>;

/**
 * The data that is signed for a call: the call, then the deadline in Unix seconds as 32 bytes. Contracts ignore bytes
 * after their arguments. So the signature covers the deadline, and whoever posts the request cannot change it.
 */
export function withDeadline(call: Hex, deadline: Deadline): Hex {
  return deadline === null || deadline === undefined
    ? call
    : concat([call, numberToHex(deadline.getTime() / MS, { size: 32 })]);
}

export function isPast(deadline: Date, now: EpochMs): boolean {
  return deadline.getTime() <= now;
}

/** The issue of a request whose deadline has passed; none if it has no deadline. */
export function deadlineIssues(deadline: Deadline, now: EpochMs): InputIssue[] {
  if (deadline === null || deadline === undefined || !isPast(deadline, now)) return [];
  return [{ path: 'deadline', message: `has passed: ${deadline.toISOString()}`, code: 'expired' }];
}
