import { useRef, useState } from 'preact/hooks';
import { fieldText } from '../shared/field-text.ts';
import { Panel } from '../shared/parts.tsx';
import { useApi } from '../shared/service-api.ts';
import { useLive, useReading } from '../shared/use-live.ts';
import { Field } from '../shared/form.tsx';
import { kindNamed, type Kind } from './kinds.ts';
import { OrderProgress, OrderReason, OrderState } from './order-parts.tsx';
import { orderOf } from './order.ts';
import type { Contract, List, Metadata, Reply } from './replies.ts';
import { links, type Query } from './route.ts';
import { chainTitle } from '../shared/chains.ts';
import { useSending } from '../shared/use-sending.tsx';

/** Mints a token of one of the account's contracts, and shows how far it is. */
export function MintView({ query }: { readonly query: Query }) {
  const contracts = useLive<List<Contract>>('/contracts?status=ACTIVE&limit=100', 60);
  const documents = useLive<List<Metadata>>('/metadata?limit=100', 60);
  const [orderId, setOrderId] = useState('');
  const mint = kindNamed('mint');
  const items = (contracts.data?.items ?? []).filter(({ ercStandard }) => ercStandard !== 'Forwarder');
  return (
    <>
      <h1>Mint</h1>
      <Panel title="What" live={contracts}>
        {items.length === 0 ? (
          <p class="muted">The account has no active contract among its newest 100.</p>
        ) : (
          <MintForm
            contracts={items}
            documents={documents.data?.items ?? []}
            contractId={query.contract ?? ''}
            onAccepted={setOrderId}
          />
        )}
      </Panel>
      {orderId !== '' && mint !== undefined && <Accepted key={orderId} id={orderId} kind={mint} />}
    </>
  );
}

function MintForm(props: {
  readonly contracts: readonly Contract[];
  readonly documents: readonly Metadata[];
  readonly contractId: string;
  readonly onAccepted: (orderId: string) => void;
}) {
  const { contracts, documents, contractId, onAccepted } = props;
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const [chosen, setChosen] = useState(contractId);
  const contract = contracts.find(({ _id }) => _id === chosen) ?? contracts[0];
  // One for what the form says: sent again after a lost reply, it mints once.
  const attempt = useRef({ body: '', key: '' });
  if (contract === undefined) return null;
  const isCertificate = contract.contractType === 'certificate';
  const submit = (form: HTMLFormElement) =>
    send(async () => {
      const body = {
        chainId: contract.chainId,
        contractAddress: contract.contractAddress,
        receiverAddress: fieldText(form, 'receiver'),
        tokenId: fieldText(form, 'tokenId'),
        metadataId: fieldText(form, 'metadata'),
        ...(contract.ercStandard === '1155' ? { amount: Number(fieldText(form, 'amount')) } : {}),
        ...(isCertificate ? { tokenUri: fieldText(form, 'tokenUri'), metadataHash: fieldText(form, 'hash') } : {}),
      };
      const text = JSON.stringify(body);
      if (attempt.current.body !== text) attempt.current = { body: text, key: crypto.randomUUID() };
      const { id } = await api.post<{ readonly id: string }>('/minting/order', body, attempt.current.key);
      onAccepted(id);
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
      <Field label="Contract">
        <select onChange={(event) => setChosen(event.currentTarget.value)}>
          {contracts.map(({ _id, name, ercStandard, chainId }) => (
            <option key={_id} value={_id} selected={_id === contract._id}>
              {name}, ERC-{ercStandard}, {chainTitle(chainId)}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Receiver">
        <input name="receiver" required pattern="0x[0-9a-fA-F]{40}" placeholder="0x…" spellcheck={false} />
      </Field>
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
        {documents
          .filter(({ chainId, tokenId }) => chainId === contract.chainId && tokenId === '')
          .map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
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
      <div class="buttons row">
        <button type="submit" class="primary" disabled={isBusy}>
          Mint
        </button>
      </div>
      {said}
    </form>
  );
}

function Accepted({ id, kind }: { readonly id: string; readonly kind: Kind }) {
  const path = `${kind.path}/${encodeURIComponent(id)}`;
  const live = useReading(path, 2, async (api, signal) => orderOf(kind, await api.get<Reply>(path, signal)));
  const order = live.data;
  return (
    <Panel title="The order" live={live}>
      {order !== undefined && (
        <>
          <p>
            <OrderState order={order} />{' '}
            <a class="mono wrap" href={links.order(id, kind)}>
              {id}
            </a>
          </p>
          <OrderProgress order={order} />
          <OrderReason order={order} />
        </>
      )}
    </Panel>
  );
}
