import { expect, it, vi } from 'vitest';
import { renderMarkdown, type Links } from './markdown.ts';

const links: Links = {
  link: (href) => (href.startsWith('src/') ? undefined : `/docs/${href.replace('.md', '')}`),
  label: (href) => `page ${href}`,
  image: (href) => `/pages/site/${href}`,
};
const htmlOf = (text: string) => renderMarkdown(text, links).html.trim();

it('a link leads to a page of the site, and one to what has no page becomes its text', () => {
  expect(htmlOf('[guards](engine.md#guards), [the driver](src/driver.ts), [notes.md](src/notes.md)')).toBe(
    '<p><a href="/docs/engine#guards">guards</a>, the driver, notes.md</p>',
  );
});

it('a link named after its file is named after its page', () => {
  expect(htmlOf('[engine.md](engine.md)')).toBe('<p><a href="/docs/engine">page engine.md</a></p>');
});

it('HTML is shown as text, and a comment is left out', () => {
  expect(htmlOf('A <script>alert(1)</script> <!-- nothing -->end')).toBe(
    '<p>A &lt;script&gt;alert(1)&lt;/script&gt; end</p>',
  );
});

it('headings, and rows and settings that explain a code, have an anchor, each code once', () => {
  const { html, sections, title } = renderMarkdown(
    '# Errors\n\nOne form.\n\n## Codes\n\nAll:\n\n| code | meaning |\n| --- | --- |\n| `too_long` | Send less |\n| `too_long` | Again |\n\n- `CONFIRMATIONS` (none): how many\n- `lower`: more',
    links,
  );
  expect(title).toBe('Errors');
  expect(sections).toEqual([
    { id: '', title: 'Errors', depth: 1, text: 'One form.' },
    { id: 'codes', title: 'Codes', depth: 2, text: 'All:  lower: more' },
    { id: 'too_long', title: 'too_long', depth: undefined, text: 'too_long. Send less' },
    { id: 'confirmations', title: 'CONFIRMATIONS', depth: undefined, text: 'CONFIRMATIONS (none): how many' },
  ]);
  expect(html.match(/id="[^"]+"/g)).toEqual(['id="codes"', 'id="too_long"', 'id="confirmations"']);
});

it('code in a language that the highlighter does not know is an error, so that nobody misspells one', () => {
  // The highlighter prints it, too.
  const print = vi.spyOn(console, 'error').mockReturnValue();
  expect(() => htmlOf('```typscript\nlet a;\n```')).toThrow('typscript');
  expect(print).toHaveBeenCalledOnce();
  print.mockRestore();
});
