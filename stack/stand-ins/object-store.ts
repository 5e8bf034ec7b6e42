import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import S3rver from 's3rver';
import { DUMMY_ACCOUNT } from 's3rver/lib/models/account.js';
import { type AwsCredentials, type SignatureCheck, verifyAwsSignature } from './aws-signature.ts';
import { type HttpServer, startHttpServer } from '../http-server.ts';

export interface ObjectStoreOptions {
  /** Where the objects are stored; created if missing. */
  readonly directory: string;
  /** Created if missing. */
  readonly bucket: string;
  readonly credentials: AwsCredentials;
  /** Default: any free port. */
  readonly port?: number;
}

const signatureErrors: Record<Exclude<SignatureCheck, 'valid'>, readonly [code: string, message: string]> = {
  absent: ['AccessDenied', 'Access Denied'],
  malformed: ['AuthorizationHeaderMalformed', 'The Authorization header is not a complete AWS Signature Version 4.'],
  'unknown-key': ['InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.'],
  expired: ['RequestTimeTooSkewed', 'The difference between the request time and the current time is too large.'],
  mismatch: [
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
};

function reject(response: ServerResponse, status: number, code: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

/** The bucket's objects, but neither its listing nor its settings, are public, as behind a public asset URL. */
function isPublicRead(request: IncomingMessage, bucket: string): boolean {
  const [path = '', query] = (request.url ?? '').split('?');
  const isObject = path.startsWith(`/${bucket}/`) && path.length > bucket.length + 2;
  return isObject && query === undefined && (request.method === 'GET' || request.method === 'HEAD');
}

/**
 * Starts an S3 server on a directory, with one bucket whose objects are public at `<url>/<bucket>/<key>`. All other
 * requests must be signed with the given credentials; s3rver checks only the access key, so the signature is verified
 * here first.
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<HttpServer> {
  const { directory, bucket, credentials } = options;
  mkdirSync(directory, { recursive: true });
  const store = new S3rver({ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] });
  DUMMY_ACCOUNT.createKeyPair(credentials.accessKeyId, credentials.secretAccessKey);
  await store.configureBuckets();
  const serve = store.callback();

  return startHttpServer(
    'Object store',
    (request, response) => {
      const payloadHash = String(request.headers['x-amz-content-sha256'] ?? '');
      const check = verifyAwsSignature(request, payloadHash, credentials);
      if (check !== 'valid' && !(check === 'absent' && isPublicRead(request, bucket))) {
        reject(response, 403, ...signatureErrors[check]);
      } else if (/(?:^|\/|%2f)(?:\.|%2e){2}(?:\/|%2f|\?|$)/i.test(request.url ?? '')) {
        reject(response, 400, 'InvalidURI', 'Keys are file paths here and must not contain a ".." segment.');
      } else if (payloadHash.endsWith('-TRAILER')) {
        // s3rver would store the framing of this encoding as content.
        reject(response, 501, 'NotImplemented', 'Bodies with trailing checksums are not implemented.');
      } else {
        serve(request, response);
      }
    },
    options.port,
  );
}
