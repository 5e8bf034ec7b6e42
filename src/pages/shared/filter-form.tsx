import type { ComponentChildren } from 'preact';
import { fieldText } from './field-text.ts';
import { ZONE } from './format.ts';
import { Field } from './form.tsx';

/** Conditions of a list, which become its link. */
export function FilterForm(props: {
  /** The conditions that are set, by the names of their fields. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly names: readonly string[];
  /** The link to the list with these conditions; without any, to all of it. */
  readonly linkTo: (query?: Readonly<Record<string, string>>) => string;
  /** What the link to all of it says. */
  readonly all: string;
  /** Whether its buttons stand beside its only field. */
  readonly isInline?: boolean;
  /** The fields. */
  readonly children: ComponentChildren;
}) {
  const { query, names, linkTo, all, isInline = false, children } = props;
  return (
    <form
      key={JSON.stringify(query)}
      class="form"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        location.hash = linkTo(Object.fromEntries(names.map((name) => [name, fieldText(form, name)])));
      }}
    >
      {children}
      <div class={isInline ? 'buttons' : 'buttons row'}>
        <button type="submit" class="primary">
          Show
        </button>
        <a class="button" href={linkTo()}>
          {all}
        </a>
      </div>
    </form>
  );
}

/** When orders were accepted, as the fields `from` and `to`. */
export function AcceptedFields({ from, to }: { readonly from: string | undefined; readonly to: string | undefined }) {
  return (
    <>
      <Field label={`Accepted from (${ZONE})`}>
        <input name="from" type="datetime-local" defaultValue={from} />
      </Field>
      <Field label={`Accepted before (${ZONE})`}>
        <input name="to" type="datetime-local" defaultValue={to} />
      </Field>
    </>
  );
}
