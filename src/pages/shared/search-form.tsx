import { fieldText } from './field-text.ts';

/** Searches from every page. */
export function SearchForm(props: {
  readonly q: string;
  readonly label: string;
  readonly placeholder: string;
  /** The link to what is found. */
  readonly linkTo: (q: string) => string;
}) {
  const { q, label, placeholder, linkTo } = props;
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = linkTo(fieldText(event.currentTarget, 'q'));
      }}
    >
      <input
        key={q}
        name="q"
        type="search"
        defaultValue={q}
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
      />
      <button type="submit">Search</button>
    </form>
  );
}
