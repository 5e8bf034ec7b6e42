import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml, highlight } from './highlight.ts';

/** A part of a page that a link can lead to: a heading with what follows it, or a row of a table that explains a code. */
export interface Section {
  /** The anchor; empty for the title of the page. */
  readonly id: string;
  readonly title: string;
  /** Of the heading, 1 for the title of the page; undefined for a row. */
  readonly depth: number | undefined;
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  /** The first heading. */
  readonly title: string;
  readonly sections: readonly Section[];
}

/** What the links and images of a text become. */
export interface Links {
  /** Where a link leads on the site; undefined if it leads to nothing there, which leaves its text. */
  readonly link: (href: string) => string | undefined;
  /** What a page is called, in place of the name of its file. */
  readonly label: (href: string) => string;
  readonly image: (href: string) => string;
}

/** A document as HTML. HTML in it is shown as text, except comments, which are left out. */
export function renderMarkdown(text: string, links: Links): RenderedMarkdown {
  const tokens = new Marked().lexer(text);
  const { sections, anchors } = sectionsOf(tokens);
  const html = new Marked({ renderer: rendererOf(links, anchors) }).parser(tokens);
  return { html, title: sections.find(({ depth }) => depth === 1)?.title ?? '', sections };
}

const descriptions = new Marked({
  renderer: rendererOf({ link: () => undefined, label: (href) => href, image: (href) => href }, new Map()),
});

/** The Markdown of a description in the API document, as HTML. */
export function renderDescription(text: string): string {
  return descriptions.parser(descriptions.lexer(text));
}

/** Code in a box, which scrolls by itself. */
export function renderCode(code: string, language: string): string {
  return `<pre tabindex="0"><code>${highlight(code, language)}</code></pre>`;
}

/** The sections of a document, and the anchors of their headings and rows. */
function sectionsOf(tokens: readonly Token[]) {
  const sections: (Section & { text: string })[] = [];
  const anchors = new Map<unknown, string>();
  const start = (token: unknown, title: string, depth: number | undefined, text = '') => {
    const id = anchorOf(title);
    if (sections.some((section) => section.id === id)) return;
    if (depth !== 1) anchors.set(token, id);
    sections.push({ id: depth === 1 ? '' : id, title, depth, text });
  };
  let current: (Section & { text: string }) | undefined;
  for (const token of tokens) {
    if (isHeading(token)) {
      start(token, plainText(token.tokens), token.depth);
      current = sections.at(-1);
    } else if (current !== undefined && token.type !== 'code') {
      current.text = `${current.text} ${plainText([token])}`.trim();
    }
    for (const row of isTable(token) ? token.rows : []) {
      const code = row.find(({ tokens: [first, ...others] }) => first?.type === 'codespan' && others.length === 0);
      if (code !== undefined)
        start(row, code.text.slice(1, -1), undefined, row.map((cell) => plainText(cell.tokens)).join('. '));
    }
  }
  return { sections, anchors };
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const isTable = (token: Token): token is Tokens.Table => token.type === 'table';
const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';
const isList = (token: Token): token is Tokens.List => token.type === 'list';

/** The words of tokens, without their form. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (isTable(token)) return token.rows.map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ');
      if (isList(token)) return token.items.map((item) => plainText(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      if (token.type === 'html') return '';
      return 'text' in token ? String(token.text) : ' ';
    })
    .join('');
}

function rendererOf({ link, label, image }: Links, anchors: ReadonlyMap<unknown, string>): RendererObject {
  return {
    heading(token) {
      const content = this.parser.parseInline(token.tokens);
      const id = anchors.get(token);
      if (id === undefined) return `<h${token.depth}>${content}</h${token.depth}>`;
      return `<h${token.depth} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${token.depth}>`;
    },
    link({ href, text, tokens }) {
      const content = text.endsWith('.md') ? escapeHtml(label(href)) : this.parser.parseInline(tokens);
      const target = /^https?:/.test(href) ? href : link(href);
      return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
    },
    image: ({ href, text }) => `<img src="${escapeHtml(image(href))}" alt="${escapeHtml(text)}" loading="lazy">`,
    code: ({ text, lang = '' }) => renderCode(text, lang),
    html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    table({ header, rows }) {
      const content = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
      const head = header.map((cell) => `<th scope="col">${content(cell)}</th>`).join('');
      const body = rows.map((row) => {
        const id = anchors.get(row);
        return `<tr${id === undefined ? '' : ` id="${id}"`}>${row.map((cell) => `<td>${content(cell)}</td>`).join('')}</tr>`;
      });
      const title = escapeHtml(header.map(({ tokens }) => plainText(tokens)).join(', '));
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table: ${title}"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
    },
  };
}
