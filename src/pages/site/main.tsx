import { render } from 'preact';
import { addCopyButtons } from './copy-buttons.ts';
import { keepLanguage } from './language.ts';
import { Search } from './search.tsx';
import { TryIt, type TriedOperation } from './try-it.tsx';

// The pages are written when the site is built (scripts/site/). This adds what needs a script.

const search = document.getElementById('search');
if (search !== null) render(<Search />, search);

const form = document.getElementById('try-it');
const operation = document.getElementById('operation')?.textContent;
if (form !== null && operation !== undefined) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- scripts/site/operation-page.tsx has written it
  render(<TryIt operation={JSON.parse(operation) as TriedOperation} />, form);
}
keepLanguage();
addCopyButtons();
showCurrentEntry();

/** Scrolls the sidebar, and not the page, to the page's own entry. */
function showCurrentEntry(): void {
  const sidebar = document.getElementById('sidebar');
  const entry = sidebar?.querySelector<HTMLElement>('[aria-current]');
  if (sidebar && entry) sidebar.scrollTop = entry.offsetTop - sidebar.clientHeight / 2;
}
