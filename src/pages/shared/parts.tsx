import type { ComponentChildren } from 'preact';
import { formatAge, formatMoment, shortHex, words } from './format.ts';
import type { Live } from './use-live.ts';

/** A section with its heading, and what went wrong with reading it. */
export function Panel(props: {
  readonly title: string;
  readonly live?: Pick<Live<unknown>, 'data' | 'error'>;
  readonly aside?: ComponentChildren;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  const { title, live, aside, isWide, children } = props;
  return (
    <section class={`panel ${isWide ? 'wide' : ''}`}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {live?.error !== undefined && (
        <p class="problem" role="alert">
          {live.data === undefined ? 'Not shown' : 'Not up to date'}: {live.error}
        </p>
      )}
      {live === undefined || live.data !== undefined
        ? children
        : live.error === undefined && <p class="muted">Loading</p>}
    </section>
  );
}

/** When something was, as its age; the exact time is in its title. */
export function Age({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {formatAge(at)}
    </time>
  );
}

/** A hash or an address, shortened, with a link to the explorer. */
export function Hex({ value, href }: { readonly value: string; readonly href?: string }) {
  const text = (
    <span class="mono" title={value}>
      {shortHex(value)}
    </span>
  );
  return href === undefined ? (
    text
  ) : (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}

const TONES: Readonly<Record<string, string>> = {
  confirmed: 'good',
  success: 'good',
  ok: 'good',
  active: 'good',
  enabled: 'good',
  failed: 'bad',
  stuck: 'bad',
  empty: 'bad',
  inactive: 'bad',
  cancelled: 'muted',
  retrying: 'warn',
  'fee capped': 'warn',
  paused: 'warn',
};

/** A state in words, with a colour that repeats what the word says. */
export function State({ name }: { readonly name: string }) {
  const text = words(name);
  return <span class={`state ${TONES[text] ?? ''}`}>{text}</span>;
}
