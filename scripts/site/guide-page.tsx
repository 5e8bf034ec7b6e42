import { Html } from './html.tsx';
import type { RenderedMarkdown } from './markdown.ts';

/** A document, with the records that it is about, and its headings beside it. */
export function GuidePage(props: {
  readonly rendered: RenderedMarkdown;
  readonly records: readonly { readonly path: string; readonly title: string }[];
}) {
  const { rendered, records } = props;
  const { html, sections } = rendered;
  const headings = sections.filter(({ depth }) => depth === 2);
  return (
    <div class="guide">
      <div class="text">
        <Html html={html} />
        {records.length > 0 && (
          <ul>
            {records.map(({ path, title }) => (
              <li key={path}>
                <a href={path}>{title}</a>
              </li>
            ))}
          </ul>
        )}
      </div>
      {headings.length > 1 && (
        <nav class="contents" aria-label="On this page">
          <h2>On this page</h2>
          <ul>
            {headings.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}
