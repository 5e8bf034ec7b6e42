import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core';

/**
 * Where Linux distributions install Chromium; CHROMIUM names another one. The headless shell draws no browser windows,
 * which took a quarter of these tests' processor time.
 */
const EXECUTABLES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/**
 * Starts Chromium.
 * @param camera A video file (Y4M) that its camera shows, without asking anybody; default: it has no camera.
 * @throws if it is not installed, with how to install it.
 */
export async function launchBrowser(camera?: string): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? EXECUTABLES.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      'Chromium is not installed. On Debian: apt-get install chromium-headless-shell. Elsewhere: set CHROMIUM to its path.',
    );
  }
  return await chromium.launch({
    executablePath,
    // Chromium refuses to run its sandbox as root.
    chromiumSandbox: process.getuid?.() !== 0,
    // Each window would start two renderers for the address bar's suggestions. Replaces Playwright's list, which these
    // tests do not need.
    args: [
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
      ...(camera === undefined ? [] : showing(camera)),
    ],
  });
}

const showing = (camera: string) => [
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  `--use-file-for-fake-video-capture=${camera}`,
];

/** A page of its own, and what the browser reports of it as wrong: scripts that failed, and what the policy refused. */
export interface OpenPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly problems: string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && problems.push(message.text()));
  return { context, page, problems };
}

/** Closes a page. @throws if anything was wrong with it. */
export async function closePage({ context, problems }: Pick<OpenPage, 'context' | 'problems'>): Promise<void> {
  await context.close();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** A phone and a desktop, in pixels. */
export const WIDTHS = [390, 1_280] as const;
export const THEMES = ['light', 'dark'] as const;

/** Saves what the page looks like in SCREENSHOTS, for whoever works on it; without that variable nothing is saved. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const directory = process.env['SCREENSHOTS'];
  if (directory !== undefined) await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits until an element is shown. @throws when it is not. */
export async function expectShown(element: Locator): Promise<void> {
  await element.waitFor();
}

/** Waits until no such element is shown. @throws when one stays. */
export async function expectGone(element: Locator): Promise<void> {
  await element.waitFor({ state: 'hidden' });
}

/** What axe-core finds wrong with the page as it is shown, as `rule: element`. */
export async function accessibilityIssues(page: Page): Promise<string[]> {
  await page.evaluate(await axeSource);
  return await page.evaluate(async () => {
    // oxlint-disable-next-line typescript/no-explicit-any -- the library was evaluated above
    const { violations } = await (globalThis as any).axe.run();
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
