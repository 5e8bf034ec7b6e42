import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type HttpServer, readBody, sendJson, startHttpServer } from '../http-server.ts';
import { type AwsCredentials, payloadHashOf, type SignatureCheck, verifyAwsSignature } from './aws-signature.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.1';
const BODY_LIMIT = 128 * 1024;

/** An error with the service's name for it. */
export class ServiceError extends Error {
  readonly type: string;
  readonly status: number;
  constructor(type: string, message: string, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

interface AwsJsonService {
  /** In messages about failures of the stand-in itself. */
  readonly name: string;
  /** The API's name in X-Amz-Target, such as `secretsmanager`. */
  readonly api: string;
  /** By name. Inputs are unvalidated JSON; a zod error is reported as `invalidInput`. */
  readonly operations: Readonly<Record<string, (input: unknown) => object>>;
  /** The service's type of error for an invalid input. */
  readonly invalidInput: string;
  readonly credentials: AwsCredentials;
  /** Default: any free port. */
  readonly port?: number | undefined;
}

const signatureErrors: Record<Exclude<SignatureCheck, 'valid'>, readonly [type: string, message: string]> = {
  absent: ['MissingAuthenticationTokenException', 'Missing Authentication Token'],
  malformed: ['IncompleteSignatureException', 'The Authorization header is not a complete AWS Signature Version 4.'],
  'unknown-key': ['UnrecognizedClientException', 'The security token included in the request is invalid.'],
  expired: ['InvalidSignatureException', 'Signature expired, or not yet current.'],
  mismatch: [
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  ],
};

/**
 * Starts a server with the JSON protocol 1.1 of AWS. Every request must be signed with the given credentials.
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export function startAwsJsonService(service: AwsJsonService): Promise<HttpServer> {
  const operations = new Map(Object.entries(service.operations).map(([name, run]) => [`${service.api}.${name}`, run]));

  const handle = async (request: IncomingMessage): Promise<object> => {
    const body = await readBody(request, BODY_LIMIT);
    const check = verifyAwsSignature(request, payloadHashOf(body), service.credentials);
    if (check !== 'valid') throw new ServiceError(...signatureErrors[check]);
    const operation = operations.get(String(request.headers['x-amz-target']));
    if (request.method !== 'POST' || !operation) {
      throw new ServiceError('UnknownOperationException', 'The requested operation is not supported.');
    }
    return operation(JSON.parse(body.toString()));
  };

  return startHttpServer(
    service.name,
    async (request, response) => {
      const sendError = (type: string, message: string, status = 400) =>
        sendJson(response, status, { __type: type, Message: message, message }, CONTENT_TYPE);
      try {
        sendJson(response, 200, await handle(request), CONTENT_TYPE);
      } catch (error) {
        if (error instanceof ServiceError) sendError(error.type, error.message, error.status);
        else if (error instanceof z.ZodError) sendError(service.invalidInput, z.prettifyError(error));
        else if (error instanceof SyntaxError) sendError('SerializationException', 'The body is not JSON.');
        else throw error;
      }
    },
    service.port,
  );
}
