import ipaddr from 'ipaddr.js';
import { hostOf } from '../../platform/egress/target.ts';
import type { TenantServices } from '../../services.ts';

/** What says where this service serves documents. */
export type Origins = Pick<TenantServices, 'settings' | 'origin'>;

/** The public bases of token metadata, without a slash at the end: METADATA_BASE_URI, and the address that the request was sent to. */
export function publicBases({ settings, origin }: Origins): string[] {
  return [settings.METADATA_BASE_URI, `${origin}/metadata`].flatMap((base) =>
    base === undefined ? [] : [base.replace(/\/+$/, '')],
  );
}

/**
 * Whether a URL leads to this service: whether it is under a public base of token metadata. Spellings that lead to the same
 * place are the same: the case of host and path, http and https, percent-encoding, doubled slashes, and of the machine
 * itself every name and address (`localhost`, `127.0.0.1`, `[::1]`, `0.0.0.0`). A name of the caller's own that resolves to
 * this service is not recognised.
 */
export function isOwnUrl(origins: Origins, url: string): boolean {
  const place = placeOf(url);
  return publicBases(origins).some((base) => place?.startsWith(placeOf(`${base}/`) ?? '//') === true);
}

/** A URL's host and port; of the machine itself, whatever it is called, `localhost`. */
export function machineOf({ hostname, port }: URL): string {
  const host = hostOf(hostname);
  return `${isThisMachine(host) ? 'localhost' : host}:${port}`;
}

function isThisMachine(host: string): boolean {
  if (!ipaddr.isValid(host)) return /(^|\.)localhost$/.test(host);
  return ['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}

/** Host and path in the one spelling that is compared; undefined where it is not on the web. */
function placeOf(text: string): string | undefined {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  return `${machineOf(url)}${decoded(url.pathname).replaceAll(/\/{2,}/g, '/')}`.toLowerCase();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // It is no UTF-8, and so names nothing here.
    return path;
  }
}
