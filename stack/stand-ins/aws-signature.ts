import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The access key that a stand-in accepts. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The result of checking a signature. `absent`: the request is not signed. */
export type SignatureCheck = 'valid' | 'absent' | 'malformed' | 'unknown-key' | 'expired' | 'mismatch';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;
const AMZ_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const CLOCK_SKEW_MS = 15 * 60_000;

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/** Percent-encoding as AWS specifies it: everything but A-Z a-z 0-9 - _ . ~ */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalPath(pathname: string, service: string): string {
  const once = pathname
    .split('/')
    .map((segment) => encode(decodeURIComponent(segment)))
    .join('/');
  // Every service but S3 encodes the path twice.
  return service === 's3' ? once : once.split('/').map(encode).join('/');
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
}

/**
 * Verifies the AWS Signature Version 4 in a request's Authorization header, by the published algorithm.
 * @param payloadHash The SHA-256 of the body in hex; for S3, the value of x-amz-content-sha256.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export function verifyAwsSignature(
  request: IncomingMessage,
  payloadHash: string,
  credentials: AwsCredentials,
  now: number = Date.now(),
): SignatureCheck {
  const { authorization } = request.headers;
  if (authorization === undefined) return 'absent';
  const [, accessKeyId, day, region, service, signedHeaders, signature] = AUTHORIZATION.exec(authorization) ?? [];
  const amzDate = request.headers['x-amz-date'];
  if (!accessKeyId || !day || !region || !service || !signedHeaders || !signature || typeof amzDate !== 'string') {
    return 'malformed';
  }
  if (accessKeyId !== credentials.accessKeyId) return 'unknown-key';
  const time = Date.parse(amzDate.replace(AMZ_DATE, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(now - time) <= CLOCK_SKEW_MS) || !amzDate.startsWith(day)) return 'expired';

  const names = signedHeaders.split(';');
  if (!names.includes('host')) return 'malformed';
  const url = new URL(request.url ?? '/', 'http://localhost');
  const canonicalRequest = [
    request.method,
    canonicalPath(url.pathname, service),
    canonicalQuery(url.searchParams),
    ...names.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .replaceAll(/\s+/g, ' ')
          .trim()}`,
    ),
    '',
    signedHeaders,
    payloadHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const stringToSign = ['AWS4-HMAC-SHA256', amzDate, scope, sha256(canonicalRequest)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => hmac(previous, part),
    `AWS4${credentials.secretAccessKey}`,
  );
  return timingSafeEqual(hmac(key, stringToSign), Buffer.from(signature, 'hex')) ? 'valid' : 'mismatch';
}

/** The SHA-256 of a body, for {@link verifyAwsSignature}. */
export const payloadHashOf = (body: Buffer): string => sha256(body);
