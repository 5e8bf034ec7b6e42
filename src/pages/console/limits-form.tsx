import { chainTitle, chains } from '../shared/chains.ts';
import { fieldText } from '../shared/field-text.ts';
import { Field } from '../shared/form.tsx';
import { useConfirm } from '../shared/use-confirm.tsx';
import type { AccountDetail } from './replies.ts';

type Limits = Omit<AccountDetail['limits'], 'used' | 'dayEndsAt'>;
type Spend = Limits['spend'][string];

const COUNTS = [
  ['ordersPerDay', 'Orders a day'],
  ['pendingOrders', 'Pending orders'],
] as const;
const LISTS = [
  ['contracts', 'Contracts, one a line'],
  ['receivers', 'Receivers, one a line'],
] as const;
const SPEND = [
  ['perDay', 'coins a day'],
  ['perOrder', 'coins an order'],
  ['gasPrice', 'gwei a unit of gas'],
] as const;

/** Sets the limits of an account; what is empty is not limited. */
export function LimitsForm({ account, onSet }: { readonly account: AccountDetail; readonly onSet: () => void }) {
  const { ask, dialog } = useConfirm();
  const { corporateId, name, limits } = account;
  const askFor = (form: HTMLFormElement) => {
    const next = limitsOf(form);
    const changes = changesOf(limits, next);
    ask({
      text: 'Set limits',
      question:
        changes.length === 0 ? (
          `Nothing changes for ${name}.`
        ) : (
          <>
            For {name}:
            <ul>
              {changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
            Accepted orders that these limits do not allow wait.
          </>
        ),
      act: (api) =>
        api.send(`/admin/accounts/${encodeURIComponent(corporateId)}/limits`, { method: 'PUT', body: next }),
      onDone: onSet,
    });
  };
  return (
    <details>
      <summary>Set limits</summary>
      <form
        class="form"
        aria-label="Set limits"
        onSubmit={(event) => {
          event.preventDefault();
          askFor(event.currentTarget);
        }}
      >
        {COUNTS.map(([field, title]) => (
          <Field key={field} label={`${title}; empty: no limit`}>
            <input name={field} type="number" min={0} max={1_000_000_000} defaultValue={String(limits[field] ?? '')} />
          </Field>
        ))}
        <fieldset>
          <legend>Chains; none: any</legend>
          {chains.map(({ id, title }) => (
            <label key={id}>
              <input type="checkbox" name="chains" value={id} defaultChecked={limits.chains?.includes(id) === true} />{' '}
              {title}
            </label>
          ))}
        </fieldset>
        {LISTS.map(([field, title]) => (
          <Field key={field} label={`${title}; empty: any`}>
            <textarea name={field} rows={3} spellcheck={false} defaultValue={limits[field]?.join('\n') ?? ''} />
          </Field>
        ))}
        {chains.flatMap(({ id, title }) =>
          SPEND.map(([field, unit]) => (
            <Field key={`${id} ${field}`} label={`${title}: ${unit}`}>
              <input name={`${id} ${field}`} inputmode="decimal" defaultValue={limits.spend[id]?.[field] ?? ''} />
            </Field>
          )),
        )}
        <div class="buttons row">
          <button type="submit" class="primary">
            Set limits
          </button>
        </div>
      </form>
      {dialog}
    </details>
  );
}

const listed = (text: string) => (text === '' ? null : text.split(/[\s,]+/));
const counted = (text: string) => (text === '' ? null : Number(text));

function limitsOf(form: HTMLFormElement): Limits {
  const ticked = new FormData(form).getAll('chains').map(String);
  const spend = chains.flatMap(({ id }): [string, Spend][] => {
    const [perDay = null, perOrder = null, gasPrice = null] = SPEND.map(
      ([field]) => fieldText(form, `${id} ${field}`) || null,
    );
    return perDay === null && perOrder === null && gasPrice === null ? [] : [[id, { perDay, perOrder, gasPrice }]];
  });
  return {
    ordersPerDay: counted(fieldText(form, 'ordersPerDay')),
    pendingOrders: counted(fieldText(form, 'pendingOrders')),
    chains: ticked.length === 0 ? null : ticked,
    contracts: listed(fieldText(form, 'contracts')),
    receivers: listed(fieldText(form, 'receivers')),
    spend: Object.fromEntries(spend),
  };
}

/** What differs, as `Orders a day: no limit, now 5`. */
function changesOf(before: Limits, after: Limits): string[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((title) => {
    const [was, is] = [old.get(title) ?? NO_LIMIT, next.get(title) ?? NO_LIMIT];
    return was === is ? [] : [`${title}: ${is} (was: ${was})`];
  });
}

const NO_LIMIT = 'no limit';

function linesOf({
  ordersPerDay,
  pendingOrders,
  chains: ids,
  contracts,
  receivers,
  spend,
}: Limits): Map<string, string> {
  const list = (values: readonly string[] | null) =>
    values === null ? NO_LIMIT : values.toSorted().join(', ').toLowerCase() || 'none';
  return new Map([
    ['Orders a day', String(ordersPerDay ?? NO_LIMIT)],
    ['Pending orders', String(pendingOrders ?? NO_LIMIT)],
    ['Chains', list(ids)],
    ['Contracts', list(contracts)],
    ['Receivers', list(receivers)],
    ...Object.entries(spend).flatMap(([id, own]) =>
      SPEND.map(([field, unit]): [string, string] => [`${chainTitle(id)}, ${unit}`, own[field] ?? NO_LIMIT]),
    ),
  ]);
}
