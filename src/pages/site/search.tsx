import { useEffect, useRef, useState } from 'preact/hooks';
import { createIndex, find, type Index, type SearchEntry } from './find.ts';

let loading: Promise<Index> | undefined;

async function loadIndex(): Promise<Index> {
  const reply = await fetch('/pages/site/search.json');
  if (!reply.ok) throw new Error(`The search cannot be loaded: ${reply.status}`);
  const entries: SearchEntry[] = await reply.json();
  return createIndex(entries);
}

/** Finds operations, sections of guides and codes. Arrow keys choose, Enter opens, Escape closes, `/` begins. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [index, setIndex] = useState<Index>();
  const [error, setError] = useState('');
  const [selected, setSelected] = useState(0);
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  const load = () => {
    loading ??= loadIndex();
    loading.then(setIndex, (failure: unknown) => {
      loading = undefined;
      setError(failure instanceof Error ? failure.message : String(failure));
    });
  };
  const found = index === undefined || query.trim() === '' ? [] : find(index, query);
  const isShown = isOpen && query.trim() !== '' && (index !== undefined || error !== '');
  const open = (href: string) => {
    setOpen(false);
    location.assign(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setSelected((selected + step + found.length) % found.length);
    } else if (event.key === 'Escape') {
      setOpen(false);
    } else if (event.key === 'Enter') {
      const chosen = found[selected];
      if (chosen !== undefined) open(String(chosen['href']));
    }
  };
  return (
    <div class="search" role="search">
      <input
        ref={input}
        role="combobox"
        // The listbox below replaces the browser's own list.
        list={undefined}
        aria-label="Search the documentation"
        aria-expanded={isShown}
        aria-controls="found"
        aria-autocomplete="list"
        aria-activedescendant={isShown && found.length > 0 ? `found-${selected}` : undefined}
        placeholder="Search ( / )"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onFocus={() => {
          load();
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setSelected(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="found" role="listbox" aria-label="Found" hidden={!isShown || found.length === 0}>
        {found.map((entry, place) => (
          <li
            key={entry.id}
            id={`found-${place}`}
            role="option"
            aria-selected={place === selected}
            // Before the field loses the focus, which closes the list.
            onMouseDown={(event) => {
              event.preventDefault();
              open(String(entry['href']));
            }}
          >
            <span>{String(entry['title'])}</span>
            <span class="muted">{String(entry['place'])}</span>
          </li>
        ))}
      </ul>
      <p role="status" class={isShown && found.length === 0 ? 'nothing' : 'visually-hidden'}>
        {isShown && (error === '' ? `${found.length === 0 ? 'Nothing' : found.length} found` : error)}
      </p>
    </div>
  );
}
