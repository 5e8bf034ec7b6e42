import { AwsClient } from 'aws4fetch';
import { z } from 'zod';
import { readText } from '../core/send-request.ts';

const TIMEOUT_MS = 5_000;
/** The longest reply that is read, in bytes: a secret has up to 64 KB, and JSON may escape each byte as six. */
const REPLY_BYTES = 512 * 1_024;

const errorSchema = z.object({ __type: z.string() });

export interface AwsCredentials {
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
}

/** A service of AWS that has the JSON 1.1 protocol. */
interface AwsService {
  /** As in signatures and host names, such as `kms`. */
  readonly name: string;
  readonly region: string;
  /** Undefined: that of AWS. */
  readonly endpoint: string | undefined;
}

/** A reply: its body, or the type of its error without a namespace. */
export type AwsReply = { readonly body: unknown } | { readonly status: number; readonly errorType: string };

/**
 * Sends a request to a service of AWS.
 * @param target The operation with the version of the API, such as `TrentService.Sign`.
 * @throws {Error} when the service does not answer.
 */
export type AwsSend = (target: string, body: object) => Promise<AwsReply>;

/** A client of a service of AWS. What fails with 429 or 5xx is sent twice more. */
export function awsJson(credentials: AwsCredentials, { name, region, endpoint }: AwsService): AwsSend {
  const aws = new AwsClient({
    accessKeyId: credentials.AWS_ACCESS_KEY_ID,
    secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY,
    region,
    service: name,
    retries: 2,
  });
  const url = endpoint ?? `https://${name}.${region}.amazonaws.com/`;
  return async (target, body) => {
    const reply = await aws.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
      body: JSON.stringify(body),
      // As in sendRequest, which this client does not use.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const received = jsonOf(await readText(reply, REPLY_BYTES));
    if (reply.ok) return { body: received };
    // The type may have a namespace and a # before it.
    const errorType = errorSchema.safeParse(received).data?.__type.split('#').at(-1) ?? 'no error type';
    return { status: reply.status, errorType };
  };
}

/** @returns undefined when the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
