import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ZONE } from './format.ts';
import { signOut, useApi } from './service-api.ts';

/** A part of the page that the bar at the top links to. */
export interface Part {
  readonly text: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** The bar at the top and what is below it. */
export function Frame(props: {
  readonly title: string;
  readonly home: string;
  readonly parts: readonly Part[];
  readonly search: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { title, home, parts, search, children } = props;
  const api = useApi();
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event)}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={home}>
          {title}
        </a>
        <nav aria-label={title}>
          {parts.map(({ text, href, isCurrent }) => (
            <a key={text} href={href} aria-current={isCurrent ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        {search}
        <button type="button" class="quiet" onClick={() => signOut(api)}>
          Sign out
        </button>
      </header>
      <main id="main" tabindex={-1}>
        {children}
      </main>
      <footer class="muted">Times are those of {ZONE}.</footer>
    </>
  );
}

/** The fragment of the URL is the route, so that the browser cannot jump by it. */
function skipTo(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** The part of the URL after `#`, from `#` on. A new one is shown from its top. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => {
      setHash(location.hash);
      window.scrollTo(0, 0);
    };
    window.addEventListener('hashchange', onChange);
    return () => window.removeEventListener('hashchange', onChange);
  }, []);
  return hash;
}
