import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import type * as Package from '../../clients/typescript/src/index.ts';
import { startHttpServer } from '../../stack/http-server.ts';
import { launchBrowser } from './browser.ts';

declare const client: typeof Package;

it('the client runs in a browser: it reads, verifies, and follows no redirect', async () => {
  const { outputFiles } = await build({
    entryPoints: ['clients/typescript/src/index.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'client',
  });
  const strayed: string[] = [];
  const elsewhere = await startHttpServer('elsewhere', ({ url = '' }, response) => {
    strayed.push(url);
    response.writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }).end('{}');
  });
  const service = await startHttpServer('service', ({ url = '' }, response) => {
    if (url === '/health') response.end('{"status":"ok"}');
    else if (url === '/limits') response.writeHead(307, { location: elsewhere.url }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
  });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(service.url);
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const now = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': Math.floor(now.getTime() / 1_000).toString(),
      'webhook-signature': new Webhook(secret).sign('msg_1', now, '{"type":"webhook.test"}'),
    };
    const results = await page.evaluate(
      async ([baseUrl, given, ofEndpoint]) => {
        const nft = client.createClient({ baseUrl, key: 'key_test_secret', maxRetries: 0 });
        return [
          await nft.getHealth(),
          await nft.getLimits().catch((error: Package.ConnectionError) => error.reason),
          await client.verifyWebhook('{"type":"webhook.test"}', given, ofEndpoint),
        ];
      },
      [service.url, headers, secret] as const,
    );
    expect(results).toEqual([{ status: 'ok' }, 'redirect', { type: 'webhook.test', id: 'msg_1' }]);
    expect(strayed).toEqual([]);
  } finally {
    await Promise.all([browser.close(), service.stop(), elsewhere.stop()]);
  }
});
