import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

for (const [name, language] of Object.entries({ bash, javascript, json, python, sql, typescript, xml, yaml })) {
  highlighter.registerLanguage(name, language);
}

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
