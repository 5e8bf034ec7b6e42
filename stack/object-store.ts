import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import S3rver from 's3rver';
import { DUMMY_ACCOUNT } from 's3rver/lib/models/account.js';
import { type AwsCredentials, type SignatureVerdict, verifyAwsSignature } from './aws-signature.ts';
import { type HttpService, startHttpService } from './http-service.ts';

export interface ObjectStoreOptions {
  /** Where the objects are kept; made when it is missing. */
  readonly directory: string;
  /** Made when it is missing. */
  readonly bucket: string;
  readonly credentials: AwsCredentials;
  /** A free one is chosen when it is absent. */
  readonly port?: number;
}

const faults: Record<Exclude<SignatureVerdict, 'valid'>, readonly [code: string, message: string]> = {
  absent: ['AccessDenied', 'Access Denied'],
  malformed: ['AuthorizationHeaderMalformed', 'The Authorization header is not a complete AWS Signature Version 4.'],
  'unknown-key': ['InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.'],
  expired: ['RequestTimeTooSkewed', 'The difference between the request time and the current time is too large.'],
  mismatch: [
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
};

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

/** A bucket's objects, but not its list and not its settings, are for everyone, as behind a public asset address. */
function isPublicRead(request: IncomingMessage, bucket: string): boolean {
  const [path = '', query] = (request.url ?? '').split('?');
  const isObject = path.startsWith(`/${bucket}/`) && path.length > bucket.length + 2;
  return isObject && query === undefined && (request.method === 'GET' || request.method === 'HEAD');
}

/**
 * Starts an S3 server on a directory, with one bucket whose objects everyone may read at `<url>/<bucket>/<key>`. Everything else
 * must be signed with the credentials given: s3rver looks at the access key only, so the signature is verified here, before it.
 */
export async function startObjectStore(options: ObjectStoreOptions): Promise<HttpService> {
  const { directory, bucket, credentials } = options;
  mkdirSync(directory, { recursive: true });
  const store = new S3rver({ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: bucket }] });
  DUMMY_ACCOUNT.createKeyPair(credentials.accessKeyId, credentials.secretAccessKey);
  await store.configureBuckets();
  const serve = store.callback();

  return startHttpService(
    'Object store',
    (request, response) => {
      const payloadHash = String(request.headers['x-amz-content-sha256'] ?? '');
      const verdict = verifyAwsSignature(request, payloadHash, credentials);
      if (verdict !== 'valid' && !(verdict === 'absent' && isPublicRead(request, bucket))) {
        refuse(response, 403, ...faults[verdict]);
      } else if (/(?:^|\/|%2f)(?:\.|%2e){2}(?:\/|%2f|\?|$)/i.test(request.url ?? '')) {
        refuse(response, 400, 'InvalidURI', 'Keys are file names here: none may have a part that is two dots.');
      } else if (payloadHash.endsWith('-TRAILER')) {
        // s3rver would store the frames of this encoding as content.
        refuse(response, 501, 'NotImplemented', 'Bodies with trailing checksums are not implemented.');
      } else {
        serve(request, response);
      }
    },
    options.port,
  );
}
