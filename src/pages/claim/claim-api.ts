import type { components } from '../shared/api-types.ts';
import { isRecord } from '../shared/is-record.ts';

export type Claim = components['schemas']['LinkedClaim'];

/** What a link consists of. */
export interface Link {
  readonly id: string;
  readonly secret: string;
}

/** The link that the page was opened with; undefined if something is missing. */
export function linkOf({ pathname, hash }: Location): Link | undefined {
  const [, id] = /^\/claim\/([0-9a-f]{24})$/.exec(pathname) ?? [];
  const [, secret] = /^#([0-9a-f]{64})$/.exec(hash) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** The service has refused a request, or does not answer: then it has no code. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string | undefined;
  /** The fields that are wrong. */
  readonly paths: readonly unknown[];

  constructor(reply: unknown) {
    const { code, message, errors } = isRecord(reply) ? reply : {};
    super(typeof message === 'string' ? message : 'No answer');
    this.code = typeof code === 'string' ? code : undefined;
    this.paths = Array.isArray(errors) ? errors.filter(isRecord).map(({ path }) => path) : [];
  }
}

/** What the link is for. @throws {Refusal} */
export function openClaim({ id, secret }: Link): Promise<Claim> {
  return post(`/claims/${id}/open`, { secret });
}

/** Names the receiver. @throws {Refusal} */
export function claimToken(
  { id, secret }: Link,
  { receiverAddress, pin }: { readonly receiverAddress: string; readonly pin: string | undefined },
): Promise<Claim> {
  return post(`/claims/${id}/claim`, { secret, receiverAddress, pin });
}

async function post(path: string, body: object): Promise<Claim> {
  let reply: Response;
  let json: unknown;
  try {
    const headers = { 'content-type': 'application/json' };
    reply = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    json = await reply.json();
  } catch {
    throw new Refusal(undefined);
  }
  if (!reply.ok) throw new Refusal(json);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's own reply
  return json as Claim;
}
