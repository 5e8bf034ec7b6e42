import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeQR } from 'qr';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectApi } from '../../scripts/demo/api.ts';
import {
  accessibilityIssues,
  closePage,
  expectShown,
  launchBrowser,
  openPage,
  screenshot,
  THEMES,
  WIDTHS,
} from './browser.ts';

const info = inject('info');
const api = connectApi(info);
const USED = 'The ticket is Used';

let browser: Browser;
let key: string;
beforeAll(async () => {
  browser = await launchBrowser();
  key = await makeKey(['status']);
});
afterAll(() => browser.close());

async function makeKey(scopes: readonly string[]): Promise<string> {
  const reply = await fetch(`${info.baseUrl}/keys`, {
    method: 'POST',
    headers: {
      'x-admin-secret-key': info.adminSecret,
      'x-corporate-id': info.corporateId,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Gate', scopes }),
  });
  return ((await reply.json()) as { key: string }).key;
}

/** Makes a ticket. @returns its code. */
async function makeTicket(): Promise<string> {
  const ticket = await api.post('/metadata', {
    chainId: '43114',
    name: 'Seat 12',
    imageUrl: 'https://example.com/a.png',
    utility: { type: 'Flexible', data: { status: 'Unused' } },
  });
  return String(ticket['_id']);
}

/** Opens the gate, and signs in. */
async function openGate(options: BrowserContextOptions = {}, inBrowser = browser) {
  const opened = await openPage(inBrowser, options);
  const { page } = opened;
  await page.goto(`${info.baseUrl}/gate`);
  await page.getByLabel('Key of the gate').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectShown(page.getByText('Scan a ticket'));
  const verdict = page.getByRole('status');
  return {
    ...opened,
    verdict,
    /** Scans as a scanner does: it types the code and Enter, wherever the page has put the focus. */
    scan: async (code: string, says: string) => {
      await page.keyboard.type(code);
      await page.keyboard.press('Enter');
      await expectShown(verdict.getByText(says));
    },
  };
}

it('opens once for a ticket, by the keyboard alone, with a key that sets statuses and nothing else', async () => {
  const [mine, ticket] = [await openGate(), await makeTicket()];
  await mine.scan(ticket, 'Let the visitor in');
  await mine.scan(ticket, USED);
  await mine.scan('no ticket', 'This is not the code of a ticket');
  await mine.scan('f'.repeat(24), 'There is no such ticket');
  expect(await mine.verdict.textContent()).toMatch(/^Stop/);
  await closePage(mine);
});

it('refuses a key that is wrong, or that must not set statuses', async () => {
  const opened = await openPage(browser);
  const { page } = opened;
  await page.goto(`${info.baseUrl}/gate`);
  for (const [wrong, says] of [
    ['key_live_wrong', 'not valid'],
    [await makeKey(['read']), 'status'],
  ] as const) {
    await page.getByLabel('Key of the gate').fill(wrong);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectShown(page.getByRole('alert').getByText(says));
  }
  expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
  await closePage(opened);
});

it('lets a visitor in whose reply was lost, once, also if the page was loaded again meanwhile', async () => {
  const [gate, ticket] = [await openGate(), await makeTicket()];
  const { page, scan, verdict } = gate;
  // The ticket is used, and nobody is told.
  await page.route('**/metadata/*/status', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await scan(ticket, 'let nobody in');
  await page.unroute('**/metadata/*/status');
  await page.reload();
  await expectShown(verdict.getByText('Scan a ticket'));
  await scan(ticket, 'Let the visitor in');
  await scan(ticket, USED);
  await closePage(gate);
});

it('says that it has no connection, and decides the ticket by itself when that is back', async () => {
  const [gate, ticket] = [await openGate(), await makeTicket()];
  const { page, context, scan, verdict } = gate;
  const offline = page.getByText('No connection');
  await context.setOffline(true);
  await expectShown(offline);
  await scan(ticket, 'let nobody in');
  await context.setOffline(false);
  await expectShown(verdict.getByText('Let the visitor in'));
  expect(await offline.count()).toBe(0);
  await closePage(gate);
});

it('sounds differently for each verdict', async () => {
  const gate = await openGate();
  const { page, scan } = gate;
  await page.evaluate(`globalThis.tones = []; const Tone = OscillatorNode;
    globalThis.OscillatorNode = class extends Tone {
      constructor(context, options) { super(context, options); tones.push(options.frequency); }
    }`);
  const ticket = await makeTicket();
  await scan(ticket, 'Let the visitor in');
  const opening = await page.evaluate('tones.splice(0)');
  await scan(ticket, USED);
  const stopping = await page.evaluate('tones.splice(0)');
  expect([opening, stopping]).not.toContainEqual([]);
  expect(opening).not.toEqual(stopping);
  await closePage(gate);
});

it('reads a code from the camera, as one scan for as long as it is shown', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nft-gate-'));
  const ticket = await makeTicket();
  const video = join(directory, 'ticket.y4m');
  await writeFile(video, videoOf(ticket));
  const withCamera = await launchBrowser(video);
  const gate = await openGate({}, withCamera);
  const { page, verdict } = gate;
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('button', { name: 'Use the camera' }).click();
  await expectShown(verdict.getByText('Let the visitor in'));
  // Many more looks at the same code.
  await expect.poll(() => page.evaluate("document.querySelector('video').currentTime")).toBeGreaterThan(3);
  expect([await verdict.textContent(), requests]).toEqual([
    expect.stringContaining('Let the visitor in'),
    [`${info.baseUrl}/metadata/${ticket}/status`],
  ]);
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop the camera' }).click();
  expect(await page.locator('video').count()).toBe(0);
  await closePage(gate);
  await withCamera.close();
  await rm(directory, { recursive: true });
});

it('says so if the device has no camera, or the browser keeps it from the page', async () => {
  const gate = await openGate();
  await gate.page.getByRole('button', { name: 'Use the camera' }).click();
  await expectShown(gate.page.getByRole('alert').getByText(/camera/));
  await closePage(gate);
});

it.each(WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const)))(
  'at %i pixels, %s, is not wider than the screen, and axe finds nothing wrong with any verdict',
  async (width, colorScheme) => {
    const gate = await openGate({ viewport: { width, height: 844 }, colorScheme });
    const { page, context, scan, verdict } = gate;
    const expectNothingWrong = async (name: string) => {
      expect(await accessibilityIssues(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      await screenshot(page, `gate-${name}-${width}-${colorScheme}`);
    };
    await expectNothingWrong('ready');
    const ticket = await makeTicket();
    await scan(ticket, 'Let the visitor in');
    await expectNothingWrong('open');
    await scan(ticket, USED);
    await expectNothingWrong('stop');
    await page.clock.install();
    await context.setOffline(true);
    await scan(ticket, 'let nobody in');
    await expectNothingWrong('asking');
    await expect
      .poll(async () => {
        await page.clock.fastForward(2_000);
        return await verdict.textContent();
      })
      .toContain('Not decided');
    await expectNothingWrong('undecided');
    await closePage(gate);
  },
);

/** A video of a QR code, as Y4M: one black and white frame with a wide margin. */
function videoOf(text: string): Buffer {
  const [width, height, scale] = [640, 480, 8];
  const code = encodeQR(text, 'raw');
  const left = Math.floor((width - code.length * scale) / 2);
  const top = Math.floor((height - code.length * scale) / 2);
  const luma = Buffer.alloc(width * height, 235);
  for (const [y, row] of code.entries()) {
    for (const [x, isDark] of row.entries()) {
      if (!isDark) continue;
      for (let line = 0; line < scale; line += 1) {
        const start = (top + y * scale + line) * width + left + x * scale;
        luma.fill(16, start, start + scale);
      }
    }
  }
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, Buffer.alloc((width * height) / 2, 128)]);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`), frame, frame]);
}
