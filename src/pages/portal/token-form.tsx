import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { Field } from '../shared/form.tsx';
import { Panel } from '../shared/parts.tsx';
import { shortText } from '../shared/short-text.ts';
import { useApi } from '../shared/service-api.ts';
import { useLive } from '../shared/use-live.ts';
import { useSending } from '../shared/use-sending.tsx';
import { NO_CONTRACT, useContractChoice, useTokenContracts } from './contract-choice.tsx';
import type { Contract, List, Metadata } from './replies.ts';

interface Props<Reply> {
  /** What is made of it; also the button's text. */
  readonly title: string;
  /** The contract that is chosen at first; empty: the newest. */
  readonly contractId: string;
  /** Where the order is posted. */
  readonly path: string;
  /** More fields. */
  readonly children: ComponentChildren;
  /** The members of the order for these. */
  readonly more: (form: HTMLFormElement) => object;
  readonly onAccepted: (reply: Reply) => void;
}

/** Orders something of one of the account's contracts: says which token, with which document. */
export function TokenPanel<Reply>(props: Props<Reply>) {
  const { live, contracts } = useTokenContracts();
  return (
    <Panel title="What" live={live}>
      {contracts.length === 0 ? NO_CONTRACT : <TokenForm contracts={contracts} {...props} />}
    </Panel>
  );
}

interface FormProps<Reply> extends Props<Reply> {
  readonly contracts: readonly Contract[];
}

function TokenForm<Reply>(props: FormProps<Reply>) {
  const { title, contracts, contractId, path, children, more, onAccepted } = props;
  const documents = useLive<List<Metadata>>('/metadata?limit=100', 60);
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const { contract, field } = useContractChoice(contracts, contractId);
  // One for what the form says: sent again after a lost reply, it is one order.
  const attempt = useRef({ body: '', key: '' });
  if (contract === undefined) return null;
  const isCertificate = contract.contractType === 'certificate';
  const submit = (form: HTMLFormElement) =>
    send(async () => {
      const body = {
        chainId: contract.chainId,
        contractAddress: contract.contractAddress,
        tokenId: fieldText(form, 'tokenId'),
        metadataId: fieldText(form, 'metadata'),
        ...(contract.ercStandard === '1155' ? { amount: Number(fieldText(form, 'amount')) } : {}),
        ...(isCertificate ? { tokenUri: fieldText(form, 'tokenUri'), metadataHash: fieldText(form, 'hash') } : {}),
        ...more(form),
      };
      const text = JSON.stringify(body);
      if (attempt.current.body !== text) attempt.current = { body: text, key: crypto.randomUUID() };
      onAccepted(await api.post<Reply>(path, body, attempt.current.key));
      return `Accepted, with the Idempotency-Key ${attempt.current.key}.`;
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      {field('Contract')}
      <Field label="Token id">
        <input name="tokenId" required pattern="0|[1-9][0-9]{0,77}" inputmode="numeric" />
      </Field>
      {contract.ercStandard === '1155' && (
        <Field label="Amount">
          <input name="amount" type="number" min={1} required defaultValue="1" />
        </Field>
      )}
      <Field label="Metadata: id of a document">
        <input name="metadata" list="documents" required pattern="[0-9a-f]{24}" spellcheck={false} />
      </Field>
      <datalist id="documents">
        {(documents.data?.items ?? [])
          .filter(({ chainId, tokenId }) => chainId === contract.chainId && tokenId === '')
          .map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {shortText(name)}
            </option>
          ))}
      </datalist>
      {isCertificate && (
        <>
          <Field label="URL of the document">
            <input name="tokenUri" required type="url" />
          </Field>
          <Field label="Hash of the document">
            <input name="hash" required pattern="0x[0-9a-fA-F]{64}" spellcheck={false} />
          </Field>
        </>
      )}
      {children}
      <div class="buttons row">
        <button type="submit" class="primary" disabled={isBusy}>
          {title}
        </button>
      </div>
      {said}
    </form>
  );
}
