import { includesAddress, includesRange, parseAddressRange, type AddressRange } from '../core/address-range.ts';
import type { Scope } from '../platform/database/vocabulary/scope.ts';

/** A `live` key works on main chains only, a `test` key on test chains only. */
export const KEY_KINDS = ['live', 'test'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What a key may do, from which addresses, and until when. */
export interface KeyRights {
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  /** Ranges in canonical form; null: any address. */
  readonly allowedAddresses: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** A key of an account, without its secret. */
export interface AccountKey extends KeyRights {
  readonly id: string;
}

/** The rights in a request for a key. */
export interface RequestedRights {
  readonly kind?: KeyKind | undefined;
  readonly scopes: readonly Scope[];
  readonly allowedAddresses?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
}

/**
 * The rights of a new key. What the request leaves out is inherited from the key that creates it.
 * @param creator Undefined when an operator creates the key; the defaults then are live, any address and no expiry.
 */
export function rightsOf(requested: RequestedRights, creator: KeyRights | undefined): KeyRights {
  return {
    kind: requested.kind ?? creator?.kind ?? 'live',
    scopes: requested.scopes,
    allowedAddresses: requested.allowedAddresses ?? creator?.allowedAddresses ?? null,
    expiresAt: requested.expiresAt ?? creator?.expiresAt ?? null,
  };
}

/**
 * What a key with `rights` could do that `limit` does not allow.
 * @returns a phrase for each; none if it could do no more.
 */
export function excessOver(limit: KeyRights, rights: KeyRights): string[] {
  const scopes = rights.scopes.filter((scope) => !limit.scopes.includes(scope));
  const addresses = beyond(limit.allowedAddresses, rights.allowedAddresses);
  return [
    ...(rights.kind === limit.kind ? [] : [`it is a ${rights.kind} key`]),
    ...scopes.map((scope) => `it has the scope ${scope}`),
    ...addresses.map((range) => `it works from ${range}`),
    ...(isLater(rights.expiresAt, limit.expiresAt) ? ['it expires later'] : []),
  ];
}

/**
 * Whether a key may be used from an address.
 * @param address Undefined when unknown: then only a key without allowed addresses may.
 */
export function mayComeFrom({ allowedAddresses }: KeyRights, address: string | undefined): boolean {
  return allowedAddresses === null || allowedAddresses.some((text) => includesAddress(parseStoredRange(text), address));
}

/** The ranges that are not within a single range of the limit. */
function beyond(limit: readonly string[] | null, ranges: readonly string[] | null): readonly string[] {
  if (limit === null) return [];
  if (ranges === null) return ['any address'];
  const allowed = limit.map(parseStoredRange);
  return ranges.filter((text) => !allowed.some((outer) => includesRange(outer, parseStoredRange(text))));
}

function isLater(time: Date | null, limit: Date | null): boolean {
  return limit !== null && (time === null || time > limit);
}

function parseStoredRange(text: string): AddressRange {
  const parsed = parseAddressRange(text);
  if ('issue' in parsed) throw new Error(`A stored range of addresses ${parsed.issue}`);
  return parsed.range;
}
