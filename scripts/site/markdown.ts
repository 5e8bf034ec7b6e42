import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml, highlight } from './highlight.ts';

/** A part of a page that a link can lead to: a heading with what follows it, or what explains a code. */
export interface Section {
  /** The anchor; empty for the title of the page. */
  readonly id: string;
  readonly title: string;
  /** Of the heading, 1 for the title of the page; undefined for a code. */
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

/** The sections of a document, and the anchors of their headings, rows and items. */
function sectionsOf(tokens: readonly Token[]) {
  const sections: Section[] = [];
  const anchors = new Map<unknown, string>();
  const add = (token: unknown, title: string, depth: number | undefined, text: string) => {
    const anchor = anchorOf(title);
    const earlier = sections.filter((section) => anchorOf(section.title) === anchor).length;
    // What is explained again is found once.
    if (earlier > 0 && depth === undefined) return;
    const id = depth === 1 ? '' : `${anchor}${earlier === 0 ? '' : `-${earlier}`}`;
    if (depth !== 1) anchors.set(token, id);
    sections.push({ id, title, depth, text });
  };
  for (const [index, heading] of tokens.entries()) {
    if (!isHeading(heading)) continue;
    const next = tokens.findIndex((token, place) => place > index && isHeading(token));
    const content = tokens.slice(index + 1, next === -1 ? undefined : next).filter(({ type }) => type !== 'code');
    const codes = content.flatMap((token) => explainedCodes(token));
    const explained = new Set<unknown>(codes.map(({ token }) => token));
    add(heading, plainText(heading.tokens), heading.depth, plainText(content, explained).trim());
    for (const { token, code, text } of codes) add(token, code, undefined, text);
  }
  return { sections, anchors };
}

/** Rows of a table with a cell that is a code, and items of a list that begin with a setting. */
function explainedCodes(token: Token): { readonly token: unknown; readonly code: string; readonly text: string }[] {
  if (isTable(token)) {
    return token.rows.flatMap((row) => {
      const cell = row.find(({ text }) => /^`[\w.]+`$/.test(text));
      return cell === undefined ? [] : [{ token: row, code: plainText(cell.tokens), text: textOfRow(row) }];
    });
  }
  if (!isList(token)) return [];
  return token.items.flatMap((item) => {
    const [, code] = /^`([A-Z][A-Z\d_]+(?:<\w+>)?)`/.exec(item.text) ?? [];
    return code === undefined ? [] : [{ token: item, code, text: plainText(item.tokens) }];
  });
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

/** The words of tokens, without their form. @param omitted Rows and items that are left out. */
function plainText(tokens: readonly Token[], omitted: ReadonlySet<unknown> = new Set()): string {
  return tokens
    .map((token) => {
      if (isTable(token)) {
        return token.rows
          .filter((row) => !omitted.has(row))
          .map(textOfRow)
          .join(' ');
      }
      if (isList(token)) {
        return token.items
          .filter((item) => !omitted.has(item))
          .map((item) => plainText(item.tokens))
          .join(' ');
      }
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      if (token.type === 'html') return '';
      return 'text' in token ? String(token.text) : ' ';
    })
    .join('');
}

const textOfRow = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => plainText(tokens)).join('. ');

function rendererOf({ link, label, image }: Links, anchors: ReadonlyMap<unknown, string>): RendererObject {
  return {
    heading(token) {
      const content = this.parser.parseInline(token.tokens);
      const id = anchors.get(token);
      if (id === undefined) return `<h${token.depth}>${content}</h${token.depth}>`;
      return `<h${token.depth} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${token.depth}>`;
    },
    link({ href, text, tokens }) {
      const target = /^https?:/.test(href) ? href : link(href);
      const content = this.parser.parseInline(tokens);
      if (target === undefined) return content;
      return `<a href="${escapeHtml(target)}">${text.endsWith('.md') ? escapeHtml(label(href)) : content}</a>`;
    },
    image: ({ href, text }) => `<img src="${escapeHtml(image(href))}" alt="${escapeHtml(text)}" loading="lazy">`,
    code: ({ text, lang = '' }) => renderCode(text, lang),
    html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    listitem(item) {
      const id = anchors.get(item);
      return `<li${id === undefined ? '' : ` id="${id}"`}>${this.parser.parse(item.tokens)}</li>`;
    },
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
