import { fieldText } from '../shared/field-text.ts';
import { links } from './route.ts';

/** Searches orders from every page. */
export function SearchForm({ q }: { readonly q: string }) {
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = links.orders(fieldText(event.currentTarget, 'q'));
      }}
    >
      <input
        key={q}
        name="q"
        type="search"
        defaultValue={q}
        aria-label="Search orders by order id, transaction, address, or contract and token id"
        placeholder="Order, transaction, address, contract/token"
        autocomplete="off"
        spellcheck={false}
      />
      <button type="submit">Search</button>
    </form>
  );
}
