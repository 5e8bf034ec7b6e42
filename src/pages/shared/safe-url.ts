/**
 * Where a browser fetches what an `ipfs://` URI names; any other URI as it is.
 * @param gateway Without a trailing slash.
 */
export function throughGateway(uri: string, gateway: string): string {
  const [, path] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/is.exec(uri) ?? [];
  return path === undefined ? uri : `${gateway}/ipfs/${path}`;
}

/**
 * Where a browser fetches a picture or a link of a document; undefined if it is not https, IPFS or, for a picture, a
 * data URL of one.
 */
export function safeUrl(value: unknown, ipfsGateway: string, use: 'image' | 'link'): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (use === 'image' && /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(value)) return value;
  if (!/^(?:https|ipfs):\/\//i.test(value)) return undefined;
  const url = throughGateway(value, ipfsGateway);
  return URL.canParse(url) ? new URL(url).href : undefined;
}
