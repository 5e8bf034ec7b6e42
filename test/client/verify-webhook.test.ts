import { describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import examples from '../../src/http/examples.json' with { type: 'json' };
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src/index.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const event = examples.events['mint.confirmed'];
const body = JSON.stringify({ ...event, data: { ...event.data, errorMessage: 'Ünïcödé 🎫' } });

/** The headers of a delivery, by the package that the service signs with. */
function headersOf({ at = new Date(), secrets = [secret], id = 'msg_1' } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': Math.floor(at.getTime() / 1_000).toString(),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, at, body)).join(' '),
  };
}
const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000);

describe('a delivery', () => {
  it.each([
    ['text', body, headersOf(), secret],
    ['bytes', new TextEncoder().encode(body), headersOf(), secret],
    ['headers of fetch', body, new Headers(headersOf()), secret],
    ['a secret without its prefix', body, headersOf(), secret.slice(6)],
    ['two signatures, of which one is known', body, headersOf({ secrets: [other, secret] }), secret],
    ['two known secrets, of which one signs', body, headersOf(), [other, secret]],
    ['a signature of another version too', body, withSignature((given) => `v1a,abc ${given}`), secret],
    ['headers in other letters', body, upperCase(headersOf()), secret],
    ['a time that is four minutes old', body, headersOf({ at: secondsFromNow(-240) }), secret],
  ] as const)('is genuine with %s', async (_, bytes, headers, secrets) => {
    const verified = await verifyWebhook(bytes, headers, secrets);
    expect(verified).toEqual({ ...JSON.parse(body), id: 'msg_1' });
    expect(verified.type === 'mint.confirmed' && verified.data.tokenId).toBe(event.data.tokenId);
  });

  it.each([
    ['another body', `${body} `, headersOf(), secret],
    ['another secret', body, headersOf(), other],
    ['another id', body, { ...headersOf(), 'webhook-id': 'msg_2' }, secret],
    ['another time', body, { ...headersOf(), 'webhook-timestamp': `${Math.floor(Date.now() / 1_000) - 1}` }, secret],
    ['a time that is six minutes old', body, headersOf({ at: secondsFromNow(-360) }), secret],
    ['a time in six minutes', body, headersOf({ at: secondsFromNow(360) }), secret],
    ['a time that is no number', body, { ...headersOf(), 'webhook-timestamp': 'NaN' }, secret],
    ['a signature that is cut off', body, withSignature((given) => given.slice(0, -1)), secret],
    ['a signature of another version', body, withSignature((given) => given.replace('v1', 'v2')), secret],
    ['an empty signature', body, withSignature(() => 'v1,'), secret],
    ['no signature', body, { ...headersOf(), 'webhook-signature': undefined }, secret],
    ['no headers', body, {}, secret],
    ['no secret', body, headersOf(), []],
  ])('is not genuine with %s', async (_, bytes, headers, secrets) => {
    await expect(verifyWebhook(bytes, headers, secrets)).rejects.toThrow(WebhookVerificationError);
  });

  it('is not checked once it is parsed', async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what programs without types do
    await expect(verifyWebhook(event as unknown as string, headersOf(), secret)).rejects.toThrow(
      new TypeError('The body must be a text or bytes, as it arrived'),
    );
  });

  it('may be as old as its reader says', async () => {
    const headers = headersOf({ at: secondsFromNow(-360) });
    expect(await verifyWebhook(body, headers, secret, { toleranceSeconds: 400 })).toMatchObject({ id: 'msg_1' });
    await expect(verifyWebhook(body, headers, secret, { toleranceSeconds: NaN })).rejects.toThrow('time');
  });

  it.each(['', 'whsec_', 'whsec_not base64!'])('is not checked with the malformed secret %j', async (malformed) => {
    await expect(verifyWebhook(body, headersOf(), malformed)).rejects.toThrow(
      new TypeError('The secret must be whsec_ and base64'),
    );
  });
});

function withSignature(change: (signature: string) => string) {
  const headers = headersOf();
  return { ...headers, 'webhook-signature': change(headers['webhook-signature']) };
}

function upperCase(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}
