import { useState } from 'preact/hooks';
import { chainTitle } from '../shared/chains.ts';
import { Field } from '../shared/form.tsx';
import { useLive, type Live } from '../shared/use-live.ts';
import type { Contract, List } from './replies.ts';

/** The account's active token contracts, those deployed last first. */
export function useTokenContracts(): { readonly live: Live<List<Contract>>; readonly contracts: readonly Contract[] } {
  const live = useLive<List<Contract>>('/contracts?status=ACTIVE&limit=100', 60);
  const contracts = (live.data?.items ?? []).filter(({ ercStandard }) => ercStandard !== 'Forwarder');
  return { live, contracts };
}

/** In the place of a form that needs a contract. */
export const NO_CONTRACT = <p class="muted">The account has no active contract among its newest 100.</p>;

/**
 * One of the account's contracts.
 * @param initialId The one that is chosen at first; empty: the newest.
 * @returns the contract, undefined if there is none; and its field, under a label.
 */
export function useContractChoice(contracts: readonly Contract[], initialId: string) {
  const [chosen, setChosen] = useState(initialId);
  const contract = contracts.find(({ _id }) => _id === chosen) ?? contracts[0];
  const field = (label: string) => (
    <Field label={label}>
      <select onChange={(event) => setChosen(event.currentTarget.value)}>
        {contracts.map(({ _id, name, ercStandard, chainId }) => (
          <option key={_id} value={_id} selected={_id === contract?._id}>
            {name}, ERC-{ercStandard}, {chainTitle(chainId)}
          </option>
        ))}
      </select>
    </Field>
  );
  return { contract, field };
}
