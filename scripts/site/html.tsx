import { renderCode, renderDescription } from './markdown.ts';

/** HTML that the site has made itself. */
export function Html({ html, class: className }: { readonly html: string; readonly class?: string }) {
  // oxlint-disable-next-line react/no-danger -- from the repository's own documents
  return <div class={className} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The Markdown of a description in the API document. */
export function Description({ text }: { readonly text: string }) {
  return <Html class="description" html={renderDescription(text)} />;
}

/** Code in a box, which scrolls by itself. */
export function Code({ code, language }: { readonly code: string; readonly language: string }) {
  return <Html class="code" html={renderCode(code, language)} />;
}
