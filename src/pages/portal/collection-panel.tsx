import { useState } from 'preact/hooks';
import { ActionButton } from '../shared/action-button.tsx';
import { ipfsGateway } from '../shared/chains.ts';
import { CollectionCard } from '../shared/collection-card.tsx';
import { fieldText } from '../shared/field-text.ts';
import { Field } from '../shared/form.tsx';
import { formatMoment } from '../shared/format.ts';
import { Panel } from '../shared/parts.tsx';
import { ApiError, useApi } from '../shared/service-api.ts';
import { useReading } from '../shared/use-live.ts';
import { useSending } from '../shared/use-sending.tsx';
import { ORDER_KINDS } from '../shared/order-kinds.ts';
import type { CollectionMetadata, Contract } from './replies.ts';
import { links } from './route.ts';

/** What marketplaces show of a contract's collection: the form for it, with a preview. */
export function CollectionPanel({ contract }: { readonly contract: Contract }) {
  const path = `/contracts/${contract._id}/metadata`;
  const live = useReading<CollectionMetadata | null>(path, 15, async (api, signal) => {
    try {
      return await api.get<CollectionMetadata>(path, signal);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }
  });
  return (
    <Panel title="The collection, as marketplaces show it" live={live}>
      {live.data !== undefined && (
        <CollectionForm current={live.data} contract={contract} path={path} onChanged={live.refresh} />
      )}
    </Panel>
  );
}

/** The texts of the form: the name in the API, what it is called, and the most characters. */
const TEXTS = [
  ['name', 'Name', 200],
  ['symbol', 'Symbol', 32],
  ['imageUrl', 'URL of the picture', 2_048],
  ['bannerImageUrl', 'URL of the banner', 2_048],
  ['featuredImageUrl', 'URL of the featured picture', 2_048],
  ['externalUrl', 'URL of a page about it', 2_048],
] as const;

type Content = Partial<Record<(typeof TEXTS)[number][0] | 'description', string>> & {
  readonly collaborators?: readonly string[];
};

/** What the form says, as the body of a PUT: fields that are empty are left out. */
function contentOf(form: HTMLFormElement): Content {
  const entries = [...TEXTS.map(([name]) => name), 'description'].map((name) => [name, fieldText(form, name)] as const);
  const collaborators = fieldText(form, 'collaborators')
    .split(/[\s,]+/)
    .filter((address) => address !== '');
  return {
    ...Object.fromEntries(entries.filter(([, text]) => text !== '')),
    ...(collaborators.length === 0 ? {} : { collaborators }),
  };
}

/** What is written here stays while the collection changes; a save is refused then, and nobody's change is lost. */
function CollectionForm(props: {
  readonly current: CollectionMetadata | null;
  readonly contract: Contract;
  readonly path: string;
  readonly onChanged: () => void;
}) {
  const { current: newest, contract, path, onChanged } = props;
  const api = useApi();
  const { isBusy, said, send } = useSending();
  const [edited, setEdited] = useState<{ readonly from: CollectionMetadata | null; readonly content: Content }>();
  const [orderId, setOrderId] = useState('');
  const current = edited === undefined ? newest : edited.from;
  const shown = edited?.content ?? textsOf(current, contract);
  return (
    <form
      key={current?.version ?? 0}
      class="form"
      onInput={(event) => setEdited({ from: current, content: contentOf(event.currentTarget) })}
      onSubmit={(event) => {
        event.preventDefault();
        const body = contentOf(event.currentTarget);
        void send(async () => {
          const headers = current === null ? {} : { 'if-match': `"${current.version}"` };
          await api.send(path, { method: 'PUT', body, headers });
          setEdited(undefined);
          onChanged();
          return 'Saved.';
        });
      }}
    >
      <p class="row">
        {current === null
          ? 'Not set yet: marketplaces see the name and the symbol of the contract.'
          : `Version ${current.version}, of ${formatMoment(current.createdAt)}`}
      </p>
      {TEXTS.map(([name, label, max]) => (
        <Field key={name} label={label}>
          <input
            name={name}
            defaultValue={textsOf(current, contract)[name] ?? ''}
            required={name === 'name'}
            maxlength={max}
          />
        </Field>
      ))}
      <label class="row">
        <span>Description</span>
        <textarea name="description" rows={4} maxlength={10_000} defaultValue={current?.description ?? ''} />
      </label>
      <label class="row">
        <span>Collaborators: wallets that marketplaces may let edit how they show it, separated by spaces</span>
        <textarea
          name="collaborators"
          rows={2}
          spellcheck={false}
          defaultValue={current?.collaborators.join('\n') ?? ''}
        />
      </label>
      <div class="row">
        <p class="muted">Preview</p>
        <CollectionCard
          heading="h3"
          texts={{ link: 'More about it', pictureFailed: 'The picture cannot be loaded.' }}
          ipfsGateway={ipfsGateway}
          document={{
            name: shown.name ?? '',
            ...(shown.symbol === undefined ? {} : { symbol: shown.symbol }),
            ...(shown.description === undefined ? {} : { description: shown.description }),
            ...(shown.imageUrl === undefined ? {} : { image: shown.imageUrl }),
            ...(shown.bannerImageUrl === undefined ? {} : { banner_image: shown.bannerImageUrl }),
            ...(shown.externalUrl === undefined ? {} : { external_link: shown.externalUrl }),
          }}
        />
      </div>
      {newest !== null && newest.version !== current?.version && (
        <p class="note warn row">
          Version {newest.version} exists by now, so that this cannot be saved.{' '}
          <button type="button" onClick={() => setEdited(undefined)}>
            Discard it, and edit version {newest.version}
          </button>
        </p>
      )}
      <div class="buttons row">
        <button type="submit" class="primary" disabled={isBusy}>
          Save as version {(current?.version ?? 0) + 1}
        </button>
        {contract.contractAddress !== null && (
          <ActionButton
            text="Announce it on chain"
            question="Marketplaces reload the collection. The transaction costs gas."
            act={async (service) => {
              const body = { contractId: contract._id };
              setOrderId((await service.post<{ readonly id: string }>('/chain-notifications', body)).id);
            }}
            onDone={() => {}}
          />
        )}
        {orderId !== '' && (
          <a href={links.order(orderId, ORDER_KINDS.ChainNotification)}>The order of the announcement</a>
        )}
      </div>
      {said}
    </form>
  );
}

/** What is stored, or else what the contract says. */
function textsOf(current: CollectionMetadata | null, { name, symbol }: Contract): Content {
  const stored = current ?? { name, symbol };
  return Object.fromEntries(Object.entries(stored).filter(([, value]) => typeof value === 'string'));
}
