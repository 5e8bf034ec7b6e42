/** What a page is told by the service. */
export interface PageData {
  /** Available to the page as JSON, in its element with the id `settings`. */
  readonly settings: object;
  /** Origins that the page may connect to, besides those in its policy: `{origins}` there. */
  readonly origins: readonly string[];
  /** Elements for the page's head: its `<!-- head -->`. */
  readonly head: string;
}

/** A built page with what it is told. */
export function withData(html: string, { settings, origins, head }: PageData): string {
  // JSON that cannot end the script element it stands in.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  // The head comes last: it may have text of anyone, in which nothing may be replaced.
  return html
    .replaceAll('{origins}', () => origins.join(' '))
    .replace('{settings}', () => json)
    .replace('<!-- head -->', () => head);
}
