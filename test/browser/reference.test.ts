import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { THEMES, WIDTHS, accessibilityIssues, launchBrowser, screenshot } from './browser.ts';

const { baseUrl, apiKey, corporateId } = inject('info');
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

interface Opened {
  readonly page: Page;
  /** Errors in the console, violations of the page's policy among them. */
  readonly errors: string[];
  /** Origins that the page sent requests to. */
  readonly origins: Set<string>;
}

async function open(path: string, width: number, colorScheme: 'light' | 'dark'): Promise<Opened> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  page.setDefaultTimeout(30_000);
  const errors: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
  });
  await page.goto(`${baseUrl}${path}`);
  return { page, errors, origins };
}

/** Whether the page is wider than the screen. */
const scrollsSideways = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth');

const cases = WIDTHS.flatMap((width) => THEMES.map((theme) => [width, theme] as const));

/**
 * What axe finds in the markup of Swagger UI, which no style sheet changes: a link inside the button that opens an
 * operation (both work with the keyboard), headings that skip a level, and parts outside of its main element.
 */
const OF_THE_LIBRARY =
  /^(?:nested-interactive: <button [^>]*opblock-summary-control|heading-order: <h[34]|region: <(?:div|section)[ >])/;

describe('the reference', () => {
  it('lists operations and events at every width and in both themes, and asks nobody else', async () => {
    const { page, errors, origins } = await open('/docs', 390, 'dark');
    await page.locator('html.dark-mode').waitFor();
    await page.locator('#operations-Minting-orderMint').click();
    for (const [width, theme] of cases) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(theme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
      await page.locator('#operations-Minting-orderMint').getByText('Accepted at once with status PENDING').waitFor();
      await page.getByText('A mint order is CONFIRMED, direct or relayed').first().waitFor();
      // Colours change gradually.
      await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
      await screenshot(page, `docs-${width}-${theme}`);
      const found = (await accessibilityIssues(page)).filter((issue) => !OF_THE_LIBRARY.test(issue));
      expect({ width, theme, found, scrolls: await scrollsSideways(page) }).toEqual({
        width,
        theme,
        found: [],
        scrolls: false,
      });
    }
    expect([...origins]).toEqual([baseUrl]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('sends a request with the keys of its reader, and shows the reply', async () => {
    const { page, errors } = await open('/docs', 1_440, 'light');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    for (const [name, value] of [
      ['apiKey', apiKey],
      ['corporateId', corporateId],
    ] as const) {
      const scheme = page.locator('form').filter({ has: page.locator(`code:text-is("${name}")`) });
      await scheme.getByRole('textbox').fill(value);
      await scheme.getByRole('button', { name: 'Apply credentials' }).click();
    }
    await page.getByRole('button', { name: 'Close' }).first().click();
    const operation = page.locator('#operations-Account-getLimits');
    await operation.click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText('dayEndsAt').first().waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('the metadata schemas', () => {
  it.each(cases)('at %i pixels, %s, are tables with an example each', async (width, theme) => {
    const { page, errors } = await open('/docs/schemas', width, theme);
    await page.getByRole('heading', { name: 'Certificate' }).waitFor();
    const ticket = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Ticket' }) });
    const row = ticket.getByRole('row').filter({ hasText: 'utility.data.event.date' });
    expect(await row.getByRole('cell').allTextContents()).toEqual(['yes', 'number', 'Unix time in seconds']);
    expect(await ticket.getByRole('row').filter({ hasText: 'Event Name' }).count()).toBe(1);
    expect(await page.getByRole('heading', { name: 'Example' }).count()).toBe(await page.locator('section').count());
    expect(await accessibilityIssues(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await screenshot(page, `schemas-${width}-${theme}`);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('the start page', () => {
  it.each(cases)('at %i pixels, %s, leads to pages that exist', async (width, theme) => {
    const { page, errors } = await open('/', width, theme);
    const links = await page.getByRole('link').all();
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) {
      const href = await link.getAttribute('href');
      expect([href, (await fetch(`${baseUrl}${href}`)).status]).toEqual([href, 200]);
    }
    expect(await accessibilityIssues(page)).toEqual([]);
    await screenshot(page, `home-${width}-${theme}`);
    expect(errors).toEqual([]);
    await page.close();
  });
});
