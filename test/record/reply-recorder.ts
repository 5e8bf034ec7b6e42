import { recordReply, recordSecret } from './run-record.ts';

/** The replies that show a secret, once, and the field that does: the only places where one may be. */
const SHOWN_ONCE: readonly (readonly [operation: RegExp, field: string])[] = [
  [/^POST \/keys$/, 'key'],
  [/^POST \/webhooks\/endpoints$/, 'secret'],
  [/^POST \/webhooks\/endpoints\/[0-9a-f]{24}\/rotate-secret$/, 'secret'],
];

/**
 * Records a reply of the service. A secret that it shows by design is recorded as such and left out; so is the path of
 * an error reply, which is the caller's own.
 * @param path Of the request, with its query.
 * @param headers Of the reply.
 */
export function recordServiceReply(
  request: { readonly method: string; readonly path: string; readonly body: unknown },
  reply: { readonly status: number; readonly headers: Iterable<readonly [string, string]>; readonly text: string },
): void {
  const operation = `${request.method} ${request.path.replace(/\?.*/s, '')}`;
  if (typeof request.body === 'string') recordPrivateKey(request.body);
  const headers = JSON.stringify([...reply.headers]);
  recordReply(`the reply ${reply.status} to ${operation}`, `${headers}\n${withoutShownOnce(operation, reply.text)}`);
}

function withoutShownOnce(operation: string, text: string): string {
  const field = SHOWN_ONCE.find(([pattern]) => pattern.test(operation))?.[1];
  // Most replies neither show a secret nor are of an error.
  if (field === undefined && !text.includes('"statusCode"')) return text;
  const body = objectIn(text);
  if (body === undefined) return text;
  const secret = field === undefined ? undefined : body[field];
  if (field !== undefined && typeof secret === 'string') recordSecret(`the ${field} of ${operation}`, secret);
  const { path: _, ...rest } = body;
  return JSON.stringify({
    ...('statusCode' in body ? rest : body),
    ...(field === undefined ? {} : { [field]: undefined }),
  });
}

/** The operations that sign for tests take a wallet's key. */
function recordPrivateKey(body: string): void {
  if (!body.includes('privateKey')) return;
  const privateKey = objectIn(body)?.['privateKey'];
  if (typeof privateKey === 'string' && isWalletKey(privateKey)) recordSecret('a privateKey in a request', privateKey);
}

/** Tests also send keys that no wallet has, such as zero, whose digits are in other texts. */
const isWalletKey = (text: string) => /^0x[0-9a-f]{64}$/i.test(text) && new Set(text).size > 8;

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
