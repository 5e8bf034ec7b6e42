import type { PublishedCode } from './published-code.ts';
import type { Certificate, Settings } from '../shared/visitors/settings.ts';

/**
 * This page as one file that works without us: its script, its styles and its policy are in it already; the certificate
 * and the document are added. The document is only a copy to fall back on, which the chain decides about like about any
 * other.
 */
export function savedPage(
  settings: Settings,
  certificate: Certificate,
  chainId: string,
  canonicalDocument: string,
  { deployment }: PublishedCode,
): Blob {
  const saved = { ...certificate, chainId, document: canonicalDocument, deployment };
  const json = JSON.stringify({ ...settings, saved }).replaceAll('<', '\\u003c');
  const head = document.head.cloneNode(true);
  if (!(head instanceof HTMLHeadElement)) throw new Error('The page has no head');
  const element = head.querySelector('#settings');
  if (element !== null) element.textContent = json;
  const body = '<body><noscript>This check needs JavaScript.</noscript><div id="app"></div></body>';
  const html = `<!doctype html>\n<html lang="en">${head.outerHTML}${body}</html>\n`;
  return new Blob([html], { type: 'text/html' });
}

/** Offers a file for download. */
export function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
