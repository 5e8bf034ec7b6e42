import highlighter from 'highlight.js/lib/common';

/**
 * Code as HTML, its words marked with the classes of highlight.js.
 * @param language A name or an ending of a language (`sh`, `ts`, `mjs`); without one nothing is marked.
 * @throws if the language is not known.
 */
export function highlight(code: string, language: string): string {
  return language === '' ? escapeHtml(code) : highlighter.highlight(code, { language }).value;
}

/** Text that stands for itself in HTML, also in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
