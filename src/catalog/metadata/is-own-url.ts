import ipaddr from 'ipaddr.js';
import { hostOf } from '../../platform/egress/target-issue.ts';
import type { TenantServices } from '../../services.ts';

/** What determines where this service serves documents. */
export type Origins = Pick<TenantServices, 'settings' | 'origin'>;

/** The public bases of token metadata, without a trailing slash: METADATA_BASE_URI, and the origin of the current request. */
export function publicBases({ settings, origin }: Origins): string[] {
  return [settings.METADATA_BASE_URI, `${origin}/metadata`].flatMap((base) =>
    base === undefined ? [] : [base.replace(/\/+$/, '')],
  );
}

/**
 * Whether a URL leads to this service: whether it is under a public base of token metadata. Equivalent URLs are recognised:
 * letter case of host and path, http and https, percent-encoding, repeated slashes, and for a base on the local machine every
 * loopback name and address (`localhost`, `127.0.0.1`, `[::1]`, `0.0.0.0`). Other names that resolve to this service are not
 * recognised.
 */
export function isOwnUrl(origins: Origins, url: string): boolean {
  const given = normalised(url);
  return publicBases(origins).some((base) => given?.startsWith(normalised(`${base}/`) ?? '//') === true);
}

/** A URL's host and port, with `localhost` for every name and address of the local machine. */
export function machineOf({ hostname, port }: URL): string {
  const host = hostOf(hostname);
  return `${isLocalMachine(host) ? 'localhost' : host}:${port}`;
}

function isLocalMachine(host: string): boolean {
  if (!ipaddr.isValid(host)) return /(^|\.)localhost$/.test(host);
  return ['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}

/** Host and path, normalised for comparison; undefined if the URL is neither http nor https. */
function normalised(text: string): string | undefined {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  return `${machineOf(url)}${decoded(url.pathname).replaceAll(/\/{2,}/g, '/')}`.toLowerCase();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not UTF-8, so it cannot be one of our paths.
    return path;
  }
}
